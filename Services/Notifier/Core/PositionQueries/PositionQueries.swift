import Directory
import Hashing
import Model

/// What one number asks about positions.
package struct PositionQueryRow: Hashable, Sendable, Codable {
    /// E.164.
    package var number: String
    /// Times of the questions of the last hour, oldest first.
    package var asked: [Timestamp] = []
    /// The question whose answer is awaited, and who asked it; nil = none.
    package var waiting: PositionQueryID?
    package var person: PersonID?

    package init(number: String) { self.number = number }
}

/// Questions by SMS for the last positions of the sender's circles.
///
/// Ingest has the positions: it decides what the person may see, records each look in the access
/// log, and answers on `sos`. Only this machine knows the number of a question. The answer goes to
/// that number, so somebody who fakes it learns nothing.
struct PositionQueries: Sendable {
    private var rows: [String: PositionQueryRow] = [:]
    /// Numbers by the question that they wait for.
    private var numbers: [PositionQueryID: String] = [:]

    init(_ rows: [PositionQueryRow]) {
        for row in rows { keep(row) }
    }

    // MARK: Questions

    /// Asks ingest, if the number is a verified contact point of exactly one person: two people
    /// with one number must not read each other's circles.
    mutating func ask(_ reply: Reply, _ delivery: inout Delivery, _ turn: inout Turn) {
        let people = turn.directory.sortedPeople.filter { $0.hasVerifiedNumber(reply.sender) }
        guard let person = people.first else { return }
        var row = rows[reply.sender] ?? PositionQueryRow(number: reply.sender)
        row.asked.removeAll { turn.now - $0 >= Limits.positionQueryWindow }
        guard row.asked.count < Limits.positionQueriesMax else {
            return rejectFurther(row, reply, person, &delivery, &turn)
        }
        row.asked.append(turn.now)
        guard people.count == 1 else {
            save(row, &turn)
            return answer(.sharedNumber, to: reply, person, &delivery, &turn)
        }
        let query = PositionQueryID(Hash.id("positions", .id(reply.id)))
        (row.waiting, row.person) = (query, person.id)
        save(row, &turn)
        let request = PositionsRequest(
            person: person.id, query: query, at: turn.now, trace: reply.trace)
        turn.publish(
            DerivedID.event(.positionsRequested, person.id, .id(query)),
            .positionsRequested(request))
    }

    /// Says once an hour that there were too many questions.
    private mutating func rejectFurther(
        _ row: PositionQueryRow, _ reply: Reply, _ person: Person, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        guard row.asked.count == Limits.positionQueriesMax else { return }
        var row = row
        row.asked.append(turn.now)
        save(row, &turn)
        answer(.tooMany, to: reply, person, &delivery, &turn)
    }

    // MARK: Answers

    /// Sends the positions to the number that waits for them, if it still is the person's.
    mutating func apply(
        _ positions: PositionsAnswer, _ delivery: inout Delivery, _ turn: inout Turn
    ) {
        guard let number = numbers[positions.query], var row = rows[number],
            row.person == positions.person
        else { return }
        let asked = row.asked.last ?? .zero
        (row.waiting, row.person) = (nil, nil)
        save(row, &turn)
        turn.trace = positions.trace
        guard turn.now - asked <= Limits.positionAnswerAgeMax,
            let person = turn.directory.person(positions.person),
            person.hasVerifiedNumber(number)
        else { return }
        let found = positions.positions.compactMap { position -> PositionLine? in
            guard let name = turn.directory.person(position.person)?.name else { return nil }
            return PositionLine(name: name, position)
        }
        let reply = Reply(
            id: positions.query.raw, sender: number, text: "", trace: positions.trace)
        let content: PositionsContent =
            found.isEmpty ? .none : .found(found, more: positions.more)
        answer(content, to: reply, person, &delivery, &turn)
    }

    private func answer(
        _ content: PositionsContent, to reply: Reply, _ person: Person, _ delivery: inout Delivery,
        _ turn: inout Turn
    ) {
        Replies().answer(
            reply, .positions(content), of: person, isPaced: false, &delivery, &turn)
    }

    // MARK: State

    private mutating func keep(_ row: PositionQueryRow) {
        if let old = rows[row.number]?.waiting { numbers[old] = nil }
        rows[row.number] = row
        if let waiting = row.waiting { numbers[waiting] = row.number }
    }

    private mutating func save(_ row: PositionQueryRow, _ turn: inout Turn) {
        keep(row)
        turn.save(.positionQuery(row))
    }

    /// Removes numbers that asked nothing in the last hour.
    mutating func sweep(_ turn: inout Turn) {
        for row in rows.values.sorted(by: { $0.number < $1.number })
        where row.asked.allSatisfy({ turn.now - $0 >= Limits.positionQueryWindow }) {
            if let waiting = row.waiting { numbers[waiting] = nil }
            rows[row.number] = nil
            turn.emit(.remove(.positionQuery(row.number)))
        }
    }
}

extension Person {
    /// Whether a number is a verified contact point of theirs that can reply.
    func hasVerifiedNumber(_ number: String) -> Bool {
        contacts.contains {
            $0.channel.rules.acceptsReplies && $0.address == number && $0.verified != nil
        }
    }
}

extension PositionLine {
    fileprivate init(name: String, _ position: AnsweredPosition) {
        self.init(
            name: name,
            whereabouts: position.isPaused
                ? .paused
                : position.fix.map { .at(Place($0)) }
                    ?? position.taken.map { .zone(position.zone, taken: $0) } ?? .unknown)
    }
}
