//! Applying one notification.
