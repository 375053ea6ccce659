//! Kinds that guests bring: by name, each with the crate that it is from, the schema of its parameters and how they are
//! read. The lists are filled before scenarios are read, and hold for the whole process.

#[cfg(feature = "schemars")]
use schemars::generate::SchemaSettings;
#[cfg(feature = "schemars")]
use serde::de::DeserializeOwned;
use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock};

/// The key under which scenarios say where a guest is from: its crate and version.
pub const ORIGIN: &str = "origin";

/// A sort of things that there are kinds of: schemes, queues. Implemented by what their parameters have in common, as a
/// `dyn` trait.
pub trait Sort: Send + Sync + 'static {
    /// What one of them is called: `scheme`.
    const WHAT: &'static str;
    /// The key that names the kind in a scenario.
    const TAG: &'static str;

    /// Name and description of those inside the tree.
    fn built_in() -> &'static [(&'static str, &'static str)];

    /// Those from outside.
    fn guests() -> &'static Guests<Self>;
}

/// The kinds of a sort that guests have brought.
pub struct Guests<G: ?Sized + 'static> {
    kinds: RwLock<Vec<&'static Kind<G>>>,
}

/// A kind of which there can be many with different parameters.
pub struct Kind<G: ?Sized + 'static> {
    name: String,
    about: String,
    origin: String,
    schema: Value,
    read: Box<Reader<G>>,
}

/// Makes of parameters all of them, those by default included, and what they stand for; or says what is wrong.
type Reader<G> = dyn Fn(Map<String, Value>) -> Result<(Map<String, Value>, Arc<G>), String> + Send + Sync;

/// A guest in a scenario: its kind and its parameters.
pub struct Guest<G: ?Sized + 'static> {
    kind: &'static Kind<G>,
    /// All of them, as a scenario says them.
    parameters: Map<String, Value>,
    value: Arc<G>,
}

impl<G: Sort + ?Sized> Guests<G> {
    /// A list without guests.
    #[expect(clippy::new_without_default, reason = "there is one of each sort, a static one")]
    pub const fn new() -> Guests<G> {
        Guests { kinds: RwLock::new(Vec::new()) }
    }

    /// Adds a kind, for as long as the process lives. One of the same name from the same place is replaced, so that
    /// one that tries out a class again and again can say again what it is.
    ///
    /// # Errors
    /// The name is not legal, or taken.
    pub fn add(&self, kind: Kind<G>) -> Result<(), String> {
        let what = G::WHAT;
        let Kind { name, origin, .. } = &kind;
        if name.is_empty() || !name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')) {
            return Err(format!("the {what} \"{name}\": legal names are of small letters, digits and -"));
        }
        if G::built_in().iter().any(|(built_in, _)| built_in == name) {
            return Err(format!("the {what} \"{name}\": there is a built-in one of that name"));
        }
        let mut kinds = self.kinds.write().unwrap_or_else(PoisonError::into_inner);
        let place = |origin: &str| origin.split(' ').next().map(str::to_owned);
        match kinds.iter().position(|known| known.name == *name) {
            Some(index) if place(&kinds[index].origin) == place(origin) => kinds[index] = Box::leak(Box::new(kind)),
            Some(index) => {
                return Err(format!("the {what} \"{name}\": there is one from {} already", kinds[index].origin));
            }
            None => kinds.push(Box::leak(Box::new(kind))),
        }
        Ok(())
    }

    /// All of them, in the order in which they came.
    pub fn all(&self) -> Vec<&'static Kind<G>> {
        self.kinds.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The one called `name`.
    pub fn get(&self, name: &str) -> Option<&'static Kind<G>> {
        self.all().into_iter().find(|kind| kind.name == name)
    }
}

impl<G: ?Sized + 'static> Kind<G> {
    /// A kind with the name `name`, described by `about` in one line, from the crate and version `origin`. Its
    /// parameters are a type of serde and schemars; `share` makes of them what there is to make.
    #[cfg(feature = "schemars")]
    pub fn of<C>(name: &str, about: &str, origin: &str, share: fn(C) -> Arc<G>) -> Kind<G>
    where
        C: Serialize + DeserializeOwned + schemars::JsonSchema + 'static,
    {
        let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        let schema = settings.into_generator().into_root_schema_for::<C>().to_value();
        let read = move |given| {
            let value: C = serde_json::from_value(Value::Object(given)).map_err(|error| error.to_string())?;
            match serde_json::to_value(&value) {
                Ok(Value::Object(all)) => Ok((all, share(value))),
                _ => Err("its parameters are no table".to_owned()),
            }
        };
        Kind::read_by(name, about, origin, schema, read)
    }

    /// A kind whose parameters have a schema of their own and are read by a function of their own.
    pub fn read_by(
        name: &str,
        about: &str,
        origin: &str,
        schema: Value,
        read: impl Fn(Map<String, Value>) -> Result<(Map<String, Value>, Arc<G>), String> + Send + Sync + 'static,
    ) -> Kind<G> {
        let [name, about, origin] = [name, about, origin].map(str::to_owned);
        Kind { name, about, origin, schema, read: Box::new(read) }
    }

    /// Its name in scenarios.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One line on it.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Where it is from: crate and version.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The JSON schema of its parameters.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// The guest with these parameters; those that are left out have their defaults.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn read(&'static self, parameters: Map<String, Value>) -> Result<Guest<G>, String> {
        let (parameters, value) = (self.read)(parameters)?;
        Ok(Guest { kind: self, parameters, value })
    }
}

impl<G: ?Sized> Guest<G> {
    /// The name of its kind.
    pub fn name(&self) -> &'static str {
        &self.kind.name
    }
}

impl<G: ?Sized> Deref for Guest<G> {
    type Target = G;

    fn deref(&self) -> &G {
        &self.value
    }
}

impl<G: ?Sized> Clone for Guest<G> {
    fn clone(&self) -> Guest<G> {
        Guest { kind: self.kind, parameters: self.parameters.clone(), value: self.value.clone() }
    }
}

impl<G: ?Sized> PartialEq for Guest<G> {
    fn eq(&self, other: &Guest<G>) -> bool {
        let of = |guest: &Guest<G>| (guest.kind.name.as_str(), guest.kind.origin.as_str());
        of(self) == of(other) && self.parameters == other.parameters
    }
}

impl<G: ?Sized> fmt::Debug for Guest<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.name, Value::Object(self.parameters.clone()))
    }
}

/// As a table: kind, origin and all parameters.
impl<G: Sort + ?Sized> Serialize for Guest<G> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serializer.serialize_map(Some(self.parameters.len() + 2))?;
        table.serialize_entry(G::TAG, &self.kind.name)?;
        table.serialize_entry(ORIGIN, &self.kind.origin)?;
        for (key, value) in &self.parameters {
            table.serialize_entry(key, value)?;
        }
        table.end()
    }
}

/// From such a table, in which the origin and all that has a default may be left out, or from the name alone.
impl<'de, G: Sort + ?Sized> Deserialize<'de> for Guest<G> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Guest<G>, D::Error> {
        let (name, parameters) = match Value::deserialize(deserializer)? {
            Value::String(name) => (name, Map::new()),
            Value::Object(mut table) => {
                table.remove(ORIGIN);
                match table.remove(G::TAG) {
                    Some(Value::String(name)) => (name, table),
                    _ => return Err(D::Error::missing_field(G::TAG)),
                }
            }
            _ => return Err(D::Error::custom(format!("a {} is a table", G::WHAT))),
        };
        let kind = G::guests().get(&name).ok_or_else(|| D::Error::custom(format!("no {} {name}", G::WHAT)))?;
        kind.read(parameters).map_err(D::Error::custom)
    }
}
