import Directory
import DirectoryViews
import MembershipCore
import Model
import Parsing
import Web

/// Parses the body of a never-notify list: `{"people": [ids], "circles": [ids]}`.
enum NeverNotifyBody {
    static func read(_ json: JSON) throws(Problem) -> NeverNotifyPatch {
        do throws(FieldError) {
            let fields = try Fields(
                json, known: ["people", "circles"], readOnly: ["silentCircles", "reachesNobody"])
            return NeverNotifyPatch(
                people: try ids(fields, "people"), circles: try ids(fields, "circles"))
        } catch {
            throw Problem(error)
        }
    }

    private static func ids<Kind: IdentifierKind>(
        _ fields: Fields, _ name: String
    ) throws(FieldError) -> [Identifier<Kind>] {
        guard let value = fields.value(name) else { return [] }
        guard let items = value.array else {
            throw .must("be a list of ids", at: name, not: value, hint: "send [] for nobody")
        }
        var ids: [Identifier<Kind>] = []
        for (index, item) in items.enumerated() {
            ids.append(try Fields.id(item, at: "\(name)[\(index)]", Identifier<Kind>.self))
        }
        return ids
    }
}

extension View {
    /// A never-notify list, for its person only.
    ///
    /// Says which circles nobody can be notified in, and whether nobody at all can be.
    static func neverNotify(_ list: NeverNotifyList, in directory: Replica) -> JSON {
        let circles = directory.circles(of: list.person).compactMap(directory.circle)
        func helpers(_ circle: Circle) -> [PersonID] {
            circle.members.filter { $0.joined != nil && $0.person != list.person }.map(\.person)
        }
        func isReached(_ circle: Circle) -> Bool {
            helpers(circle).contains { !directory.hidesEmergencies(of: list.person, from: $0) }
        }
        let silent = circles.filter { !helpers($0).isEmpty && !isReached($0) }
        return [
            "people": .array(list.people.map { .string($0.description) }),
            "circles": .array(list.circles.map { .string($0.description) }),
            "silentCircles": .array(silent.map { .string($0.id.description) }),
            "reachesNobody": .bool(!circles.contains(where: isReached)),
        ]
    }
}
