mod live_cuts;
