import Model
import Parsing
import Runtime
import Web

/// `jaga person import`: creates the accounts of a team and adds them to a circle as managed
/// members.
///
/// Everything is checked before the first account is created. The record of an import names what it
/// created, so that it can be undone.
struct TeamImport {
    let api: API

    /// An account that an import created.
    struct Created: Hashable, Codable {
        var person: String
        var name: String
        /// As created: a changed account is kept.
        var version: Int64
        /// Of the membership, as text; nil if it was not added yet.
        var membership: String?
    }

    /// What an import created.
    struct Record: Hashable, Codable {
        var circle: String
        var people: [Created] = []
    }

    // MARK: Import

    /// - Returns: the exit status
    func run(_ file: String, circle name: String, isDryRun: Bool) throws -> Int32 {
        let circle = try Names(api: api).id(of: .circle, name)
        let bytes = try Files.read(file, bytesMax: 1 << 20)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError("\(file) is not UTF-8", hint: "save it as CSV UTF-8")
        }
        let team = TeamFile(text)
        let faults = team.faults.isEmpty ? try knownContacts(in: team) : team.faults
        guard faults.isEmpty else {
            for fault in faults { Console.printError("\(file): \(fault)") }
            Console.printError("nothing was created")
            return 1
        }
        preview(team)
        if isDryRun {
            Console.print("\(team.members.count) people would be created (--dry-run)")
            return 0
        }
        let time = SystemClock().now.description.filter { $0.isNumber || $0 == "T" }
        let recordFile = "\(file).\(time).import"
        var record = Record(circle: circle)
        do {
            for member in team.members { try create(member, &record, recordFile) }
        } catch {
            Console.printError(
                "stopped after \(record.people.count) of \(team.members.count) people; "
                    + "undo: jaga person import --undo \(Shell.quoted(recordFile))")
            throw error
        }
        Console.print("created \(record.people.count) people; import \(recordFile)")
        return 0
    }

    private func preview(_ team: TeamFile) {
        var table = Table("line", "name", "role", "phone", "mail")
        for member in team.members {
            table.add(
                String(member.line), member.name, member.role.rawValue, member.phone ?? "",
                member.mail ?? "")
        }
        for line in table.lines { Console.print(line) }
    }

    /// Faults for contact points that an account already has.
    private func knownContacts(in team: TeamFile) throws -> [TeamFile.Fault] {
        var known: [String: String] = [:]
        for person in try api.list("/v1/people") {
            for contact in person["contacts"]?.array ?? [] {
                known[contact.cell("address")] = person.cell("id")
            }
        }
        return team.members.flatMap { member in
            member.contacts.compactMap { column, address in
                known[address].map {
                    TeamFile.Fault(
                        line: member.line, column: column, text: "account \($0) has it already")
                }
            }
        }
    }

    private func create(
        _ member: TeamFile.Member, _ record: inout Record, _ file: String
    ) throws {
        let made = try Enrolment(api: api).person(
            .init(
                name: member.name, locale: member.locale ?? "en",
                timeZone: member.timeZone ?? "UTC", phone: member.phone, mail: member.mail))
        let person = made.id
        Console.print("\(member.name): activation code \(made.activationCode)")
        let version = try api.get(path(person))["version"]?.int.map(Int64.init) ?? 1
        record.people.append(Created(person: person, name: member.name, version: version))
        try write(record, to: file)
        let whole = try api.post(
            "/v1/circles/\(API.pathPart(record.circle))/members",
            ["person": .string(person), "role": .string(member.role.rawValue)])
        let last = record.people.count - 1
        record.people[last].membership = membership(of: person, in: whole)
        try write(record, to: file)
    }

    private func path(_ person: String) -> String { "/v1/people/\(API.pathPart(person))" }

    private func membership(of person: String, in circle: JSON) -> String? {
        circle["members"]?.array?.first { $0.cell("person") == person }?.text
    }

    private func write(_ record: Record, to file: String) throws {
        try Files.write(try JSON.encode(record).serialized(), to: file, mode: 0o600)
    }

    // MARK: Undo

    /// Erases the accounts of an import that nobody changed since.
    ///
    /// - Returns: the exit status: 1 if some are kept
    func undo(_ file: String) throws -> Int32 {
        let record: Record
        do {
            record = try JSON.parse(try Files.read(file, bytesMax: 8 << 20)).decode(Record.self)
        } catch {
            throw CommandError(
                "\(file) is not the record of an import",
                hint: "'jaga person import' prints its name")
        }
        var rest = record
        for created in record.people.reversed() {
            if let reason = try kept(created, record.circle) {
                Console.printError("kept \(created.name) (\(created.person)): \(reason)")
                continue
            }
            try api.delete(path(created.person), ifVersion: created.version)
            rest.people.removeAll { $0.person == created.person }
            try write(rest, to: file)
        }
        let erased = record.people.count - rest.people.count
        Console.print("erased \(erased) of \(record.people.count) people")
        if rest.people.isEmpty { try Files.remove(file) }
        return rest.people.isEmpty ? 0 : 1
    }

    /// Why an account is not erased; nil = it is as the import left it.
    private func kept(_ created: Created, _ circle: String) throws -> String? {
        guard let person = try? api.get(path(created.person)) else { return "it is gone" }
        if person["version"]?.int != Int(created.version) { return "the account was changed" }
        if person["credentials"]?.array?.isEmpty == false { return "it has credentials" }
        if try !api.list(path(created.person) + "/devices").isEmpty { return "it has devices" }
        let circles = try api.list("/v1/circles").filter { found in
            membership(of: created.person, in: found) != nil
        }
        let expected = created.membership == nil ? [] : [circle]
        guard circles.map({ $0.cell("id") }) == expected else {
            return "the circles were changed"
        }
        guard let only = circles.first else { return nil }
        return membership(of: created.person, in: only) == created.membership
            ? nil : "the membership was changed"
    }
}
