import Directory
import Hashing
import Model

/// What the page of a question shows its person, in their language and time zone.
package struct QuestionPage: Hashable, Sendable {
    package var language: Language
    package var isWatch: Bool
    package var state: OwnQuestion.State
    /// The deadline of the watch, or the due time of the check-in.
    package var due: String
    /// When an emergency opens.
    package var alarmAt: String
    package var asksPIN: Bool
}

extension Notifier {
    /// The language of the person who has a question's link; nil = the link is not valid.
    package func language(ofQuestion link: LinkHash, _ directory: Replica) -> Language? {
        questions[link].flatMap { directory.person($0.person) }.map { Language(locale: $0.locale) }
    }

    /// The page of a question's link; nil = the link is not valid.
    package func questionPage(
        of link: LinkHash, _ directory: Replica, at now: Timestamp
    ) -> QuestionPage? {
        guard let question = questions[link], let person = directory.person(question.person)
        else { return nil }
        func clock(_ time: Timestamp) -> String {
            ClockText.time(
                time, now: now, offsetSeconds: delivery.renderer.offset(of: person, at: now))
        }
        return QuestionPage(
            language: Language(locale: person.locale), isWatch: question.subject.isWatch,
            state: question.state, due: clock(question.due), alarmAt: clock(question.alarmAt),
            asksPIN: directory.asksPIN(of: person.id))
    }
}
