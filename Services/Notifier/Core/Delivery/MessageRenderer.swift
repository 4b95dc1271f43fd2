import Directory
import Model
import Timing

/// Renders notices for their recipients: in their language and time zone.
struct MessageRenderer: Sendable {
    /// Link to a map with `{lat}` and `{lon}`.
    let map: String
    let hasReplies: Bool
    /// Base URL of links; nil = none.
    let publicURL: String?
    /// Offsets of time zones, by IANA name.
    var zones: [String: TimeZoneRules] = [:]

    /// Renders the notice of a plan for a person.
    func render(
        _ content: NoticeContent, for person: Person, _ plan: DeliveryPlan, reference: String,
        _ turn: Turn
    ) -> RenderedMessage {
        render(
            content,
            Reader(
                language: Language(locale: person.locale),
                who: plan.person.flatMap { turn.directory.person($0)?.name } ?? "?",
                circle: plan.circle?.name ?? "", reference: reference,
                now: turn.now, offsetSeconds: offset(of: person, at: turn.now), map: map,
                hasReplies: hasReplies, link: link(for: person.id, plan)))
    }

    /// A recipient's link to the page of an emergency or of a question, with a placeholder for its
    /// token; empty = none. The person in danger has none to the emergency.
    private func link(for recipient: PersonID, _ plan: DeliveryPlan) -> String {
        guard let publicURL else { return "" }
        if plan.question != nil { return publicURL + OwnQuestions.path + Links.placeholder }
        if plan.drill != nil { return publicURL + Links.path + Links.placeholder }
        guard let emergency = plan.emergency, recipient != emergency.person else { return "" }
        return publicURL + Links.path + Links.placeholder
    }

    /// Renders a notice for every kind of channel.
    func render(_ content: NoticeContent, _ reader: Reader) -> RenderedMessage {
        let composer = Composer(reader)
        let mail = composer.render(content, on: .email)
        return RenderedMessage(
            short: composer.render(content, on: .sms).text, subject: mail.subject,
            long: mail.text)
    }

    /// Adds a notice of delay.
    func late(
        _ message: RenderedMessage, for person: Person?, due: Timestamp, until: Timestamp,
        at now: Timestamp
    ) -> RenderedMessage {
        let reader = Reader(
            language: Language(locale: person?.locale ?? ""), who: "", now: now,
            offsetSeconds: person.flatMap { offset(of: $0, at: due) }, map: map)
        return Composer(reader).late(message, due: due, until: until)
    }

    /// Offset of a person's time zone from UTC, seconds; nil = unknown.
    func offset(of person: Person, at time: Timestamp) -> Int? {
        zones[person.timeZone]?.offsetSeconds(at: time)
    }
}
