#[test] fn ok() {}
