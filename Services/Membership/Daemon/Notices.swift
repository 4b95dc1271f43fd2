import MembershipCore
import Model

extension PersonNotice {
    /// The message for the notifier.
    ///
    /// - Parameters:
    ///   - link: of the invitation that came with the command
    ///   - site: public URL of the suite; nil = not configured
    /// - Returns: nil for an invitation without a link
    func message(link: InvitationLink?, site: String?) -> RequestedMessage? {
        let notice: MembershipNotice
        switch content {
        case .invitation:
            guard let link else { return nil }
            notice = .invitation(link: link.text)
        case .consent:
            let url = site.flatMap { try? PublicURL.checked($0) }
            notice = .consent(link: url.map { "\($0)/app/#consents" })
        case .takeOver(let ward, let time): notice = .takeOver(ward: ward, time)
        }
        return RequestedMessage(
            channel: channel, address: address, sender: sender, locale: locale,
            content: .membership(notice))
    }
}
