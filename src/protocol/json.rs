//! Free-form JSON of the protocol, carried as its text so that the engine needs no JSON library.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A JSON value as text (tool arguments, free-form results). On the wire it is the value itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonText(String);

/// `null`, as it reads back after it was written.
impl Default for JsonText {
    fn default() -> Self {
        Self("null".into())
    }
}

impl JsonText {
    /// The value as compact or original JSON text; never empty.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Reads a JSON object. A list is refused: the derived readers would take its elements by position.
pub(super) fn object<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    if text.trim_start().starts_with('{') {
        serde_json::from_str(text)
    } else {
        Err(serde_json::Error::custom("not a JSON object"))
    }
}

/// Reads a field that describes but does not identify: in an unexpected shape it counts as not sent, so that one
/// odd field of one thread does not take the whole page away.
pub(super) fn lenient<'de, T: DeserializeOwned + Default, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Through `Value`, not `RawValue`: enum variants are read from buffered content.
        let value = serde_json::Value::deserialize(deserializer)?;
        Ok(Self(value.to_string()))
    }
}

impl From<serde_json::Value> for JsonText {
    fn from(value: serde_json::Value) -> Self {
        Self(value.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_was_not_sent_reads_back_as_it_was_written() {
        let written = serde_json::to_string(&JsonText::default()).unwrap();
        assert_eq!(serde_json::from_str::<JsonText>(&written).unwrap(), JsonText::default());
    }

    #[test]
    fn a_list_in_the_place_of_an_object_is_refused() {
        #[derive(Deserialize)]
        struct Named {
            name: String,
        }
        assert_eq!(object::<Named>(r#" {"name":"n"}"#).map(|read| read.name).ok().as_deref(), Some("n"));
        for other in [r#"["n"]"#, "[]", "null", "7", ""] {
            assert!(object::<Named>(other).is_err(), "{other}");
        }
    }
}
