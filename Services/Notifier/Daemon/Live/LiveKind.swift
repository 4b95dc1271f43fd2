import Directory
import DirectoryViews
import Model
import NotifierCore
import Parsing

/// A kind of events that live streams carry: a row per ``LiveItem``.
///
/// An event carries the whole item as the API shows it to the person at that moment, or only its
/// id if they no longer have it.
struct LiveKind: Sendable {
    /// `event:` of the item as it is now.
    let name: String
    /// Renders the item for a person; nil if they do not see it.
    let view: @Sendable (LiveEvent, PersonID, Replica) -> JSON?

    /// `event:` when the person no longer has the item.
    var goneName: String { "\(name)-gone" }

    static let person = LiveKind(name: "person") { event, person, directory in
        directory.person(person).map {
            ["person": View.person($0, directory.credentials(of: person))]
        }
    }

    static let circle = LiveKind(name: "circle") { event, person, directory in
        guard case .circle(let id) = event.item, let circle = directory.circle(id),
            let audience = circle.audience(of: person)
        else { return nil }
        return [
            "circle": View.circle(circle, to: audience, in: directory),
            "circleListVersion": .integer(event.mark.time.microseconds),
        ]
    }

    /// Only sent when a credential is gone: one that exists is part of the person's data.
    static let credential = LiveKind(name: "credential") { _, _, _ in nil }

    /// Where to read the requests: only membership knows them.
    static let consents = LiveKind(name: "consents") { event, _, _ in
        guard case .consents(let asked) = event.item else { return nil }
        return [
            "person": .string(asked.description), "url": .string("/v1/people/\(asked)/consents"),
        ]
    }
}

extension LiveItem {
    var kind: LiveKind {
        switch self {
        case .person: .person
        case .circle: .circle
        case .credential: .credential
        case .consents: .consents
        }
    }

    /// What an event says when the item is gone.
    func goneView(at mark: LiveMark) -> JSON {
        switch self {
        case .person, .credential, .consents: ["id": .string(description)]
        case .circle:
            [
                "id": .string(description),
                "circleListVersion": .integer(mark.time.microseconds),
            ]
        }
    }
}
