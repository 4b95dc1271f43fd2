import Hashing
import Model
import Parsing
import Store

/// People with a phone, a verified number and three credentials each, in circles of equal size.
///
/// The token of person N is `token-N-K`, with K 0 for the phone, 1 for a session, 2 for a script.
struct Town {
    let people: Int
    /// Members of a circle.
    let circleSize: Int

    /// Writes the rows of membership's store, and prunes its stream, so that every consumer has to
    /// fetch the snapshot.
    func fill(store: String) throws {
        let database = try Database(path: store, migrations: nil)
        try database.run("PRAGMA synchronous = OFF")
        try database.begin()
        for number in 0..<people {
            for (table, id, row) in try rows(number) {
                try database.run(
                    "INSERT INTO \(table) VALUES (?1, ?2)", .blob(id.bytes), .blob(row))
            }
            guard number % 10_000 == 9_999 else { continue }
            try database.commit()
            try database.begin()
        }
        try database.run(
            """
            UPDATE stream SET
                base_sequence = (SELECT max(place) & 281474976710655 FROM outbox),
                base_hash = (SELECT hash FROM outbox ORDER BY place DESC LIMIT 1)
            """)
        try database.run("DELETE FROM outbox")
        try database.commit()
        Main.printLine("filled")
    }

    private func person(_ number: Int) -> PersonID { PersonID(Hash.id("person", .number(number))) }

    private func rows(_ number: Int) throws -> [(table: String, id: ID128, row: [UInt8])] {
        let owner = person(number)
        let phone = DeviceID(Hash.id("device", .number(number)))
        let contact = ContactPoint(
            id: ContactID(Hash.id("contact", .number(number))), channel: .sms,
            address: "+1555\(1_000_000 + number)", verified: .zero)
        var rows = [
            (
                "person", owner.raw,
                try json(Person(id: owner, name: "Person \(number)", contacts: [contact]))
            ), ("device", phone.raw, try json(Device(id: phone, person: owner, name: "phone"))),
        ]
        for (index, kind) in [CredentialKind.report, .session, .person].enumerated() {
            let id = CredentialID(Hash.id("credential", .number(number * 3 + index)))
            let hash = Hash.sha256Text("token-\(number)-\(index)")
            let credential = Credential(
                id: id, hash: hash, kind: kind, person: owner,
                device: kind == .report ? phone : nil, created: .zero)
            rows.append(("credential", id.raw, try json(credential)))
        }
        if number % circleSize == circleSize - 1 {
            let circle = CircleID(Hash.id("circle", .number(number)))
            let members = (0..<circleSize).map { index in
                Membership(
                    person: person(number - index), role: index == 0 ? .admin : .member,
                    joined: .zero, trackerID: "A\(index)")
            }
            rows.append(
                ("circle", circle.raw, try json(Circle(id: circle, name: "C", members: members))))
        }
        return rows
    }

    private func json(_ value: some Encodable) throws -> [UInt8] {
        try JSON.encode(value).serialized()
    }
}
