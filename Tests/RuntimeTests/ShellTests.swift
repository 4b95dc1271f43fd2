import Testing

@testable import Runtime

@Suite struct `A word for a shell` {
    @Test(arguments: [
        ("Family", "Family"), ("/var/jaga/x.key", "/var/jaga/x.key"), ("", "''"),
        ("Mia's Family", #"'Mia'\''s Family'"#), ("a b", "'a b'"), ("$HOME", "'$HOME'"),
        ("~", "'~'"), ("ü", "'ü'"), ("a\nb", "'a\nb'"), ("#x", "'#x'"), ("*", "'*'"),
    ])
    func `is quoted if a shell would change it`(word: String, quoted: String) {
        #expect(Shell.quoted(word) == quoted)
    }
}
