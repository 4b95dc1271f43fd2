import Hashing
import Model

/// Appends records to `in/p`. Their times never decrease, and each partition begins with the logic
/// version.
struct Sequencer {
    /// Time of the newest record of any partition.
    private(set) var time: Timestamp
    /// Version of the logic in force in all logs.
    private(set) var logic: UInt16
    /// Bit n is set if partition n has a record.
    private var opened: UInt64 = 0

    init(time: Timestamp, logic: UInt16, opened: some Sequence<Partition>) {
        self.time = time
        self.logic = logic
        for partition in opened { self.opened |= 1 << UInt64(partition.number) }
    }

    /// Appends one record after all records appended before.
    ///
    /// - Returns: the time of the record
    @discardableResult
    mutating func append(
        _ body: EventBody, id: EventID, trace: String = "", to partition: Partition,
        at now: Timestamp, into effects: inout [Effect]
    ) -> Timestamp {
        advance(to: now, into: &effects)
        let bit: UInt64 = 1 << UInt64(partition.number)
        if opened & bit == 0 {
            opened |= bit
            effects.append(.savePartition(partition))
            appendLogic(to: partition, into: &effects)
        }
        effects.append(
            .append(Event(id: id, time: time, trace: trace, body: body), partition))
        return time
    }

    /// Partitions that have a record, ascending.
    var begun: [Partition] {
        Partition.all.filter { opened & (1 << UInt64($0.number)) != 0 }
    }

    /// Advances the time without a record.
    mutating func advance(to now: Timestamp, into effects: inout [Effect]) {
        guard now > time else { return }
        time = now
        effects.append(.saveTime(now))
    }

    /// Whether no partition has a record.
    var isEmpty: Bool { opened == 0 }

    /// Switches every log that has a record to a newer version of the logic.
    mutating func raiseLogic(to version: UInt16, at now: Timestamp, into effects: inout [Effect]) {
        guard version > logic else { return }
        logic = version
        time = max(time, now)
        effects += [.saveTime(time), .saveLogic(version)]
        for partition in begun { appendLogic(to: partition, into: &effects) }
    }

    /// Appends the current version again: a record that changes nothing.
    mutating func repeatLogic(
        to partitions: [Partition], at now: Timestamp, into effects: inout [Effect]
    ) {
        advance(to: now, into: &effects)
        let begun = Set(begun)
        for partition in partitions where begun.contains(partition) {
            appendLogic(
                to: partition, cause: UInt64(bitPattern: time.microseconds), into: &effects)
        }
    }

    private func appendLogic(
        to partition: Partition, cause: UInt64 = 0, into effects: inout [Effect]
    ) {
        let id = Hash.derivedID(
            kind: .inputLogic, person: nil, subject: .number(partition.number),
            cause: ID128(high: cause, low: UInt64(logic)))
        let version = LogicVersion(version: Int(logic))
        effects.append(
            .append(Event(id: id, time: time, body: .inputLogic(version)), partition))
    }
}
