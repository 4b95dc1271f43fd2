import DirectoryViews
import MembershipCore
import Parsing

extension View {
    /// What an edit of contact points took away.
    static func warning(_ warning: ContactWarning) -> JSON {
        ["reason": .string(warning.rawValue), "detail": .string(warning.explanation)]
    }
}
