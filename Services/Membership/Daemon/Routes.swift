import API
import Model
import Web

typealias Route = MembershipOperation

extension Route {
    static let router = Router(MembershipOperation.table)
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
