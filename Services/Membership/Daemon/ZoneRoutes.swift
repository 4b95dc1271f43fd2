import Model
import Web

/// The kind of a ``ZoneOwner``.
enum ZoneOwnerKind: Sendable {
    case circle, person, set
}

extension Route {
    /// Routes of zones and sets. PATCH equals PUT: omitted fields keep their values.
    static let ofZones: [(Method, String, Route)] = [
        (.get, "/v1/circles/{circle}/zones", .read(.zones(.circle))),
        (.post, "/v1/circles/{circle}/zones", .change(.createZone(.circle))),
        (.post, "/v1/circles/{circle}/zones/import", .change(.importZones(.circle))),
        (.get, "/v1/circles/{circle}/zones/export", .read(.zoneFile(.circle))),
        (.get, "/v1/circles/{circle}/zones/{zone}", .read(.zone(.circle))),
        (.put, "/v1/circles/{circle}/zones/{zone}", .change(.updateZone(.circle))),
        (.patch, "/v1/circles/{circle}/zones/{zone}", .change(.updateZone(.circle))),
        (.delete, "/v1/circles/{circle}/zones/{zone}", .change(.removeZone(.circle))),
        (.post, "/v1/circles/{circle}/zones/{zone}/mail", .change(.mailZone(.circle))),

        (.get, "/v1/people/{person}/zones", .read(.zones(.person))),
        (.post, "/v1/people/{person}/zones", .change(.createZone(.person))),
        (.post, "/v1/people/{person}/zones/import", .change(.importZones(.person))),
        (.get, "/v1/people/{person}/zones/export", .read(.zoneFile(.person))),
        (.get, "/v1/people/{person}/zones/{zone}", .read(.zone(.person))),
        (.put, "/v1/people/{person}/zones/{zone}", .change(.updateZone(.person))),
        (.patch, "/v1/people/{person}/zones/{zone}", .change(.updateZone(.person))),
        (.delete, "/v1/people/{person}/zones/{zone}", .change(.removeZone(.person))),
        (.post, "/v1/people/{person}/zones/{zone}/mail", .change(.mailZone(.person))),
        (.get, "/v1/people/{person}/applicable-zones", .read(.applicableZones)),
        (.put, "/v1/people/{person}/zone-opt-outs/{zone}", .change(.optOut)),
        (.delete, "/v1/people/{person}/zone-opt-outs/{zone}", .change(.optIn)),

        (.get, "/v1/sets", .read(.sets)),
        (.post, "/v1/sets", .change(.createSet)),
        (.get, "/v1/sets/{set}", .read(.set)),
        (.put, "/v1/sets/{set}", .change(.updateSet)),
        (.patch, "/v1/sets/{set}", .change(.updateSet)),
        (.delete, "/v1/sets/{set}", .change(.removeSet)),
        (.post, "/v1/sets/{set}/mail", .change(.mailSet)),
        (.get, "/v1/sets/{set}/zones", .read(.zones(.set))),
        (.post, "/v1/sets/{set}/zones", .change(.createZone(.set))),
        (.post, "/v1/sets/{set}/zones/import", .change(.importZones(.set))),
        (.get, "/v1/sets/{set}/zones/export", .read(.zoneFile(.set))),
        (.get, "/v1/sets/{set}/zones/{zone}", .read(.zone(.set))),
        (.put, "/v1/sets/{set}/zones/{zone}", .change(.updateZone(.set))),
        (.patch, "/v1/sets/{set}/zones/{zone}", .change(.updateZone(.set))),
        (.delete, "/v1/sets/{set}/zones/{zone}", .change(.removeZone(.set))),
        (.post, "/v1/sets/{set}/zones/{zone}/mail", .change(.mailZone(.set))),
        (.put, "/v1/circles/{circle}/sets/{set}", .change(.subscribe)),
        (.delete, "/v1/circles/{circle}/sets/{set}", .change(.unsubscribe)),
    ]

    static let ofMessages: [(Method, String, Route)] = [
        (.get, "/v1/circles/{circle}/messages", .read(.messages(.circle))),
        (.post, "/v1/circles/{circle}/messages", .change(.createMessage(.circle))),
        (.get, "/v1/circles/{circle}/messages/{message}", .read(.message(.circle))),
        (.put, "/v1/circles/{circle}/messages/{message}", .change(.updateMessage(.circle))),
        (.patch, "/v1/circles/{circle}/messages/{message}", .change(.updateMessage(.circle))),
        (.delete, "/v1/circles/{circle}/messages/{message}", .change(.removeMessage(.circle))),
        (
            .put, "/v1/circles/{circle}/messages/{message}/confirmed",
            .change(.confirmMessage(.circle))
        ),
        (.post, "/v1/circles/{circle}/messages/{message}/code", .change(.sendCode(.circle))),
        (
            .post, "/v1/circles/{circle}/messages/{message}/confirmation",
            .change(.enterCode(.circle))
        ),
        (.get, "/v1/people/{person}/messages", .read(.messages(.person))),
        (.post, "/v1/people/{person}/messages", .change(.createMessage(.person))),
        (.get, "/v1/people/{person}/messages/{message}", .read(.message(.person))),
        (.put, "/v1/people/{person}/messages/{message}", .change(.updateMessage(.person))),
        (.patch, "/v1/people/{person}/messages/{message}", .change(.updateMessage(.person))),
        (.delete, "/v1/people/{person}/messages/{message}", .change(.removeMessage(.person))),
        (
            .put, "/v1/people/{person}/messages/{message}/confirmed",
            .change(.confirmMessage(.person))
        ),
        (.post, "/v1/people/{person}/messages/{message}/code", .change(.sendCode(.person))),
        (
            .post, "/v1/people/{person}/messages/{message}/confirmation",
            .change(.enterCode(.person))
        ),
    ]
}

extension Parameters {
    /// The owner of the zones or messages that a path names.
    func owner(_ kind: ZoneOwnerKind) throws(Problem) -> ZoneOwner {
        switch kind {
        case .circle: .circle(try id("circle", CircleID.self))
        case .person: .person(try id("person", PersonID.self))
        case .set: .set(try id("set", ZoneSetID.self))
        }
    }
}
