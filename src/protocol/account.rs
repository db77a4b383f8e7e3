//! `account/read`: who the server is signed in as.

use serde::{Deserialize, Serialize};

/// `GetAccountResponse`. `account: null` alone never blocks anything (FACTS 2.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountReadResponse {
    #[serde(default)]
    pub account: Option<Account>,
    pub requires_openai_auth: bool,
}

/// `Account`. It has no stable id (FACTS 18.5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Account {
    ApiKey,
    Chatgpt {
        #[serde(default)]
        email: Option<String>,
        /// Shown; not part of the fingerprint.
        #[serde(default)]
        plan_type: Option<String>,
    },
    AmazonBedrock,
    /// A type of a newer server (`gcp` of 0.171.0 among them).
    #[serde(other)]
    Unknown,
}

/// `AccountRateLimitsUpdatedNotification.rateLimits`, what is shown of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimits {
    #[serde(default)]
    pub limit_name: Option<String>,
    #[serde(default)]
    pub primary: Option<RateLimitWindow>,
    #[serde(default)]
    pub secondary: Option<RateLimitWindow>,
}

/// Use of one rate-limit window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimitWindow {
    /// Percent, 0 to 100.
    pub used_percent: i64,
    /// Minutes.
    #[serde(default)]
    pub window_duration_mins: Option<i64>,
    /// Unix seconds.
    #[serde(default)]
    pub resets_at: Option<i64>,
}
