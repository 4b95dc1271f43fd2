import Model

@testable import JourneysCore

/// The rows that the daemon would keep in SQLite.
struct MemoryStore {
    private(set) var stored = Journeys.Stored()
    /// As they arrived, by the journey's number.
    private(set) var fixes: [Int64: [Fix]] = [:]
    private(set) var sights: [Int64: [JourneySight]] = [:]

    var journeys: [PersonID: [JourneySpan]] { stored.spans }

    mutating func perform(_ change: JourneyChange) {
        switch change {
        case .start(let span, _, let person, _):
            stored.spans[person, default: []].append(span)
            stored.lastNumber = span.number
        case .stop(let number, let time): edit(number) { $0.stopped = time }
        case .reset(let number, let span):
            edit(number) { $0 = span }
            fixes[number] = nil
            stored.lastNumber = span.number
        case .remove(let number):
            for person in Array(stored.spans.keys) {
                stored.spans[person]?.removeAll { $0.number == number }
                if stored.spans[person]?.isEmpty == true { stored.spans[person] = nil }
            }
            fixes[number] = nil
        case .removeAll(let person):
            for span in stored.spans[person] ?? [] { fixes[span.number] = nil }
            stored.spans[person] = nil
        case .fix(let fix, let number):
            edit(number) { $0.fixes += 1 }
            fixes[number, default: []].append(fix)
        case .complete(let fix, let number):
            let place = fixes[number]?.lastIndex {
                $0.time == fix.time && $0.position == fix.position
            }
            if let place { fixes[number]?[place] = fix }
        case .moved(let fix, let number):
            edit(number) {
                $0.moved = fix.time
                $0.place = fix.position
            }
        case .sights(let new, let number):
            sights[number, default: []].removeAll { $0.since >= new[0].since }
            sights[number, default: []] += new
        }
    }

    private mutating func edit(_ number: Int64, _ body: (inout JourneySpan) -> Void) {
        for person in Array(stored.spans.keys) {
            guard let place = stored.spans[person]?.firstIndex(where: { $0.number == number }),
                var span = stored.spans[person]?[place]
            else { continue }
            body(&span)
            stored.spans[person]?[place] = span
        }
    }
}
