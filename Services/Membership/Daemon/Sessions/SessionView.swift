import DirectoryViews
import MembershipCore
import Model
import Parsing

extension View {
    /// A session.
    ///
    /// - Parameters:
    ///   - expires: when it ends without further use
    ///   - lastUsed: the day of its last use
    ///   - isCurrent: whether the request belongs to it
    static func session(
        _ session: Session, expires: Timestamp?, lastUsed: String?, isCurrent: Bool
    ) -> JSON {
        [
            "id": .string(session.id.description), "name": .string(session.name),
            "opened": .string(session.opened.description),
            "expires": text(expires?.description), "lastUsed": text(lastUsed),
            "current": .bool(isCurrent),
        ]
    }
}
