use rusqlite::Connection;

use crate::Error;

/// No vowels, so that no id is a word such as `last`; nothing that is read for another.
const LETTERS: &[u8] = b"bcdfghjkmnpqrstvwxz23456789";

/// 27^5, over 14 million; an id that is taken is drawn again.
const LENGTH: u8 = 5;

/// Ids drawn before giving up. With a million sessions the chance to fail is under 1 in 10^36.
const DRAWS: usize = 32;

/// An id that no session has.
pub(crate) fn fresh(db: &Connection) -> Result<String, rusqlite::Error> {
    let mut id = String::new();
    for _ in 0..DRAWS {
        id = draw(db)?;
        let taken: bool =
            db.query_row("SELECT EXISTS(SELECT 1 FROM sessions WHERE id = ?1)", [&id], |row| row.get(0))?;
        if !taken {
            break;
        }
    }
    Ok(id)
}

/// SQLite's own randomness serves: ids are names, not secrets.
fn draw(db: &Connection) -> Result<String, rusqlite::Error> {
    let bytes: Vec<u8> = db.query_row("SELECT randomblob(?1)", [LENGTH], |row| row.get(0))?;
    Ok(bytes.iter().map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])).collect())
}

/// What a person may write for an id: letters and digits, in any case.
pub(crate) fn typed(given: &str) -> Result<String, Error> {
    let id = given.trim().to_ascii_lowercase();
    let legal = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if legal { Ok(id) } else { Err(Error::Unknown { given: given.to_owned() }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_short_and_no_words() {
        let db = Connection::open_in_memory().expect("a database in memory");
        for _ in 0..1000 {
            let id = draw(&db).expect("an id");
            assert!(id.len() == usize::from(LENGTH) && id.bytes().all(|byte| LETTERS.contains(&byte)), "{id}");
        }
    }

    #[test]
    fn only_letters_and_digits_are_looked_for() {
        assert_eq!(typed(" B7xq2 ").expect("an id"), "b7xq2");
        for bad in ["", "../x", "b%", "北京", "a b"] {
            assert!(matches!(typed(bad), Err(Error::Unknown { .. })), "{bad:?}");
        }
    }
}
