import Dialects
import Directory
import Model

/// What was put aside, read once more.
public struct Redelivery: Hashable, Sendable {
    public var request: UInt64
    public var entry: QuarantineID
    public var device: DeviceID
    public var person: PersonID
    public var client: ClientApp
    /// When it came.
    public var received: Timestamp
    public var arrivals: [Arrival]
    public var panics: [Panic]
    public var rejections: [Rejection]
    public var news: PhoneNews
    /// Nil where all of it is read at once.
    public var portion: Portion?
    /// Of the request that brought it.
    public var trace: String

    /// A part of a list that is too long to be read at once.
    public struct Portion: Hashable, Sendable {
        /// Something before it could not be used.
        public var isSpoilt: Bool
        /// Where the next one begins; nil = it is the last.
        public var next: Int?

        public init(isSpoilt: Bool, next: Int?) {
            self.isSpoilt = isSpoilt
            self.next = next
        }
    }

    public init(
        request: UInt64, entry: QuarantineID, device: DeviceID, person: PersonID,
        client: ClientApp, received: Timestamp, arrivals: [Arrival], panics: [Panic] = [],
        rejections: [Rejection] = [], news: PhoneNews = PhoneNews(), portion: Portion? = nil,
        trace: String = ""
    ) {
        self.portion = portion
        self.request = request
        self.entry = entry
        self.device = device
        self.person = person
        self.client = client
        self.received = received
        self.arrivals = arrivals
        self.panics = panics
        self.rejections = rejections
        self.news = news
        self.trace = trace
    }
}

/// What became of something put aside that was read once more.
public struct RedeliveryAnswer: Hashable, Sendable {
    public var accepted: Int
    public var duplicates: Int
    /// Calls for help in it; one that had come before is none more.
    public var calls: Int
    /// Why parts of it, or all, still cannot be used; it stays aside then.
    public var rejections: [Rejection]
    /// Something of it cannot be used, maybe of a portion that was read before.
    public var isSpoilt: Bool
    /// Where the portion begins that was not read yet.
    public var next: Int?
}

extension Core {
    /// Takes in what had been put aside as if it had come when it came: with the times of then and
    /// the same rules about duplicates. The phone is not heard by it, and asks for nothing.
    mutating func redeliver(
        _ delivery: Redelivery, in directory: Replica, at now: Timestamp,
        into effects: inout [Effect]
    ) {
        guard !delivery.panics.isEmpty || hasRoom(for: delivery.arrivals, at: now) else {
            effects.append(.answer(request: delivery.request, .overloaded))
            return
        }
        if intake.devices[delivery.device]?.person != delivery.person {
            hear(delivery.device, of: delivery.person, in: directory, at: now, into: &effects)
        }
        var news = delivery.news
        // What kept the phone from reporting then says nothing of now.
        news.hindrances = nil
        _ = phones.hear(
            news, from: delivery.device, of: delivery.person, at: now, into: &effects)
        var calls: [EmergencyID] = []
        let isTagged = phones.isTagged(delivery.device)
        for panic in delivery.panics where !(panic.isTag && isTagged) {
            calls.append(
                raise(
                    panic, from: delivery.device, of: delivery.person,
                    received: delivery.received, trace: delivery.trace, in: directory, at: now,
                    into: &effects))
        }
        let taken = takeIn(
            delivery.arrivals, of: delivery.device, received: delivery.received,
            trace: delivery.trace, in: directory, at: now, into: &effects)
        let isSpoilt = delivery.portion?.isSpoilt ?? false || !delivery.rejections.isEmpty
        let next = delivery.portion?.next
        if isSpoilt || next != nil {
            let reason = delivery.rejections.first?.reason ?? (isSpoilt ? nil : .tooMany)
            let place = delivery.portion.map { portion in
                QuarantineRow.place(of: portion.next, isSpoilt: isSpoilt)
            }
            effects.append(.noteRetry(delivery.entry, reason, place: place, at: now))
        } else {
            effects.append(.removeQuarantine(delivery.entry))
        }
        effects.append(
            .saveDiary(
                DiaryRow(
                    device: delivery.device, time: now, client: delivery.client,
                    outcome: .retried,
                    reason: delivery.rejections.first?.reason.rawValue
                        ?? (calls.count < delivery.panics.count ? Core.tagKnown : ""),
                    status: 200, taken: taken, quarantined: delivery.rejections.count,
                    calls: calls.count, call: calls.first,
                    newest: Core.newest(of: delivery.arrivals), trace: delivery.trace)))
        effects.append(
            .answer(
                request: delivery.request,
                .redelivered(
                    RedeliveryAnswer(
                        accepted: taken.accepted, duplicates: taken.duplicates,
                        calls: calls.count, rejections: delivery.rejections,
                        isSpoilt: isSpoilt, next: next))))
    }
}
