/// What breaks a rule and is known: number of findings by rule and path.
///
/// The list may only shrink: a finding more fails, and so does one fewer until its number is taken
/// down here.
enum Ratchet {
    struct Key: Hashable {
        let rule: String
        let path: String
    }

    static let allowed: [Key: Int] = [:]
}
