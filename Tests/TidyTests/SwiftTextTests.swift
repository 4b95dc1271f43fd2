import Testing

@Suite struct `Blanking comments and strings` {
    @Test(arguments: [
        ("let a = 1 // b", "let a = 1     "),
        ("a /* b /* c */ d */ e", "a                   e"),
        ("let s = \"// \\\" x\" + y", "let s = \"       \" + y"),
        ("\"a\\(b + \"c\")d\"", "\"   b + \" \"  \""),
        ("#\"a\"b\"# c", "#\"   \"# c"),
        ("#\"a\\(b)\\#(c)\"# d", "#\"        c \"# d"),
        ("\"\"\"\n a \" }\n\"\"\"\n}", "\"\"\"\n      \n\"\"\"\n}"),
        ("\"é\" x", "\"  \" x"),
    ])
    func `keeps all columns`(text: String, code: String) {
        #expect(SwiftText.code(of: text) == code)
    }
}
