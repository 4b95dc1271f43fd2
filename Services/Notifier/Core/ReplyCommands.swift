import Directory
import Model

// What people without the app can do by SMS beside calling for help and taking an emergency.
extension Notifier {
    /// Everybody with this number is safe: ingest takes back a call in its countdown, the timer
    /// ends a watch. An emergency of which people were told goes on until one of them ends it;
    /// that its person says so stands in its timeline.
    mutating func saySafe(_ reply: Reply, _ turn: inout Turn) {
        let people = give(.safe, minutes: nil, by: reply, as: .cancelEmergency, &turn)
        guard let first = people.first else { return keepWords(of: reply, &turn) }
        keepWords(of: reply, &turn)
        answer(reply, .safeNoted, of: first, &turn)
    }

    /// The watch of everybody with this number goes on longer, if one runs.
    mutating func extendWatch(_ minutes: Int, _ reply: Reply, _ turn: inout Turn) {
        let people = give(.extend, minutes: minutes, by: reply, as: .watch, &turn)
        guard let first = people.first else { return keepWords(of: reply, &turn) }
        answer(reply, .watchExtended(minutes: minutes), of: first, &turn)
    }

    /// - Returns: for whom it was told, those with that number who may
    private func give(
        _ kind: Contact.Kind, minutes: Int?, by reply: Reply, as action: Action,
        _ turn: inout Turn
    ) -> [Person] {
        let people = turn.directory.sortedPeople.filter { person in
            person.hasNumber(reply.sender)
                && turn.directory.decide(
                    .person(person.id), action, on: .person(person.id), at: turn.now
                ).isAllowed
        }
        for person in people {
            turn.publish(
                Meaning.event(.contactGiven, person.id, .id(reply.id)),
                .contactGiven(
                    Contact(
                        person: person.id, kind: kind, at: turn.now, minutes: minutes,
                        trace: reply.trace)))
        }
        return people
    }

    /// Where the person of an emergency was last, for whoever was told of it and may see that; who
    /// was told of none that goes on hears nothing.
    mutating func tellPlace(of reference: String, to reply: Reply, _ turn: inout Turn) {
        let told = emergenciesTold(at: reply.sender, turn.directory)
            .filter { $0.0.state.isActive && $0.0.opened != nil }
        let meant = told.filter { reference.isEmpty || $0.0.reference == reference }
        guard let (emergency, viewer) = meant.first else { return keepWords(of: reply, &turn) }
        let isSeen = turn.directory.circles(of: viewer).compactMap(turn.directory.circle)
            .contains { circle in
                circle.member(emergency.person) != nil
                    && Audience.seesPosition(
                        of: emergency.person, inDangerBy: emergency.trigger, in: circle,
                        at: turn.now)
            }
        let place = isSeen ? emergency.fix.map(Place.init) : nil
        answer(
            reply, .whereabouts(place, battery: emergency.battery), about: emergency,
            of: turn.directory.person(viewer), &turn)
    }
}
