import Testing

@testable import JagaCLI

@Suite struct `A team in a CSV file` {
    @Test func `has people with contact points and roles`() {
        let team = TeamFile(
            """
            name,phone,mail,role
            Anna Tan,+60123450001,anna@example.test,admin
            "Ben ""B"", Lim", +60123450002 ,,

            Citra,,,Guardian
            """)
        #expect(team.faults.isEmpty)
        #expect(team.members.map(\.name) == ["Anna Tan", #"Ben "B", Lim"#, "Citra"])
        #expect(team.members.map(\.role) == [.admin, .member, .guardian])
        #expect(team.members.map(\.phone) == ["+60123450001", "+60123450002", nil])
        #expect(team.members.map(\.line) == [2, 3, 5])
    }

    @Test func `of a spreadsheet has semicolons, a mark and other line ends`() {
        let team = TeamFile(
            "\u{FEFF}Mail;NAME;timezone\r\na@b.test;\"Two\r\nlines\";Asia/Jakarta\r\n")
        #expect(team.faults.isEmpty)
        #expect(team.members.map(\.name) == ["Two\nlines"])
        #expect(team.members.map(\.timeZone) == ["Asia/Jakarta"])
    }

    @Test func `names line and column of every fault`() {
        let team = TeamFile(
            """
            name,phone,mail,role
            ,+60123450001,,
            Ben,0123,ben,boss
            Citra,+60123450001,,
            Dewi,,
            """)
        #expect(
            team.faults.map { "\($0.line) \($0.column?.rawValue ?? "-")" }
                == ["2 name", "3 mail", "3 phone", "3 role", "4 phone", "5 -"])
        #expect(team.faults.last?.description == "line 5: 3 fields instead of 4")
        #expect(team.faults[4].description == "line 4, phone: line 2 has it already")
    }

    @Test(arguments: [
        ("", "line 1: the file is empty"), ("\n", "line 1: \"\" is not a column"),
        ("phone\n", "line 1: the column name is missing"),
        ("name,name\n", "line 1: \"name\" is not a column"),
        ("name,age\nA,5", "line 1: \"age\" is not a column"),
        ("name\n", "line 1: the file has no people"),
        ("name\n\"Anna", "line 2: a quoted field has no end"),
        ("name\nA\n\"B\nC\n", "line 3: a quoted field has no end"),
    ])
    func `without a head or people is rejected`(_ text: String, _ fault: String) {
        let faults = TeamFile(text).faults.map(\.description)
        #expect(faults.first?.hasPrefix(fault) == true, "\(faults)")
    }

    @Test func `of any bytes is read without a crash`() {
        var seed: UInt64 = 1
        let letters = Array("name,;\"\n\r\u{FEFF}phone\u{0}é@+1")
        for _ in 0..<2000 {
            var text = "name,phone\n"
            for _ in 0..<40 {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text.append(letters[Int(seed >> 33) % letters.count])
            }
            let team = TeamFile(text)
            #expect(team.members.allSatisfy { $0.line > 1 })
        }
    }
}
