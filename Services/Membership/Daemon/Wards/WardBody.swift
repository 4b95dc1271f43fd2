import Directory
import DirectoryViews
import MembershipCore
import Model
import Parsing
import Runtime
import Web

extension ChangeReader {
    /// A new ward, or a request to become another guardian of one.
    func readWard() throws(Problem) -> RequestedChange {
        let guardian = try person
        let body = try body()
        if case .object(let members) = body, members.contains(where: { $0.key == "person" }) {
            return RequestedChange(.requestGuardianship(guardian, of: try knownWard(body)))
        }
        let (until, rest) = try takeOver(body)
        let id = PersonID(SecureRandom.id())
        let patch = try PersonBody.read(rest, isNew: true, timeZones: clocks.folder)
        return RequestedChange(
            .createWard(id, of: guardian, patch, until: until), at: "/v1/people/\(id)")
    }

    private func knownWard(_ body: JSON) throws(Problem) -> PersonID {
        do throws(FieldError) {
            let fields = try Fields(body, known: ["person"])
            guard let ward = try fields.id("person", PersonID.self) else {
                throw .missing("person", hint: "use the id of a ward")
            }
            return ward
        } catch {
            throw Problem(error)
        }
    }

    /// When the ward takes over, and the body without it: the fields of a person.
    private func takeOver(_ body: JSON) throws(Problem) -> (Timestamp, JSON) {
        guard case .object(let members) = body else { return (.zero, body) }
        let isTime = { (member: JSON.Member) in member.key == "wardUntil" }
        do throws(FieldError) {
            let fields = try Fields(.object(members.filter(isTime)), known: ["wardUntil"])
            guard let until = try InvitationBody.time("wardUntil", fields) else {
                throw .missing(
                    "wardUntil", hint: "when the ward takes over, such as 2031-06-01T00:00:00Z")
            }
            return (until, .object(members.filter { !isTime($0) }))
        } catch {
            throw Problem(error)
        }
    }
}

extension Reader {
    func wardsOfPerson() throws(Problem) -> Response {
        let guardian = try knownPerson(for: .readPerson)
        let people = wards.wards(of: guardian.id).compactMap(directory.person)
            .filter { $0.isWard(at: now) }
        let page = try Page(people, of: request, id: \.id.description)
        return page.response { View.person($0, directory.credentials(of: $0.id)) }
    }
}
