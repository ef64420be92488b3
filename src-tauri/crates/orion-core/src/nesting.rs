//! Follows the brackets of JSON as it grows, byte by byte, to find where its outermost object closes. Deliberately not here:
//! whether what stands between the brackets is JSON at all.

#[derive(Debug, Clone, Copy, Default)]
pub struct Nesting {
    depth: u32,
    string: Within,
}

#[derive(Debug, Clone, Copy, Default)]
enum Within {
    #[default]
    Nothing,
    String,
    Escape,
}

impl Nesting {
    /// Follows one byte and returns the depth after it. Bytes of multi-byte characters are never quotes or brackets.
    pub fn step(&mut self, byte: u8) -> u32 {
        match (self.string, byte) {
            (Within::Nothing, b'"') => self.string = Within::String,
            (Within::Nothing, b'{' | b'[') => self.depth += 1,
            (Within::Nothing, b'}' | b']') => self.depth = self.depth.saturating_sub(1),
            (Within::String, b'"') => self.string = Within::Nothing,
            (Within::String, b'\\') => self.string = Within::Escape,
            (Within::Escape, _) => self.string = Within::String,
            (Within::Nothing | Within::String, _) => {}
        }
        self.depth
    }
}
