import Hashing
import Model

/// Puts records on `in/p`: their times never decrease, and each partition begins with the version
/// of the logic.
struct Sequencer {
    /// Time of the youngest record of any partition.
    private(set) var time: Timestamp
    /// Version of the logic by which all logs go on.
    private(set) var logic: UInt16
    /// Bit n: partition n has its first record.
    private var opened: UInt64 = 0

    init(time: Timestamp, logic: UInt16, opened: some Sequence<Partition>) {
        self.time = time
        self.logic = logic
        for partition in opened { self.opened |= 1 << UInt64(partition.number) }
    }

    /// Appends one record after everything that was appended before.
    ///
    /// - Returns: the time that the record carries.
    @discardableResult
    mutating func append(
        _ body: EventBody, id: EventID, trace: String = "", to partition: Partition,
        at now: Timestamp, into effects: inout [Effect]
    ) -> Timestamp {
        pass(to: now, into: &effects)
        let bit: UInt64 = 1 << UInt64(partition.number)
        if opened & bit == 0 {
            opened |= bit
            effects.append(.savePartition(partition))
            tellLogic(to: partition, into: &effects)
        }
        effects.append(
            .append(Event(id: id, time: time, trace: trace, body: body), partition))
        return time
    }

    /// Partitions that have a record, ascending.
    var begun: [Partition] {
        Partition.all.filter { opened & (1 << UInt64($0.number)) != 0 }
    }

    /// Time passes without a record.
    mutating func pass(to now: Timestamp, into effects: inout [Effect]) {
        guard now > time else { return }
        time = now
        effects.append(.saveTime(now))
    }

    /// Whether no partition has a record.
    var isEmpty: Bool { opened == 0 }

    /// Goes over to another version of the logic, in every log that has begun.
    mutating func raiseLogic(to version: UInt16, at now: Timestamp, into effects: inout [Effect]) {
        guard version > logic else { return }
        logic = version
        time = max(time, now)
        effects += [.saveTime(time), .saveLogic(version)]
        for partition in begun { tellLogic(to: partition, into: &effects) }
    }

    /// Says the version again: a record that changes nothing.
    mutating func repeatLogic(
        to partitions: [Partition], at now: Timestamp, into effects: inout [Effect]
    ) {
        pass(to: now, into: &effects)
        let begun = Set(begun)
        for partition in partitions where begun.contains(partition) {
            tellLogic(
                to: partition, cause: UInt64(bitPattern: time.microseconds), into: &effects)
        }
    }

    private func tellLogic(
        to partition: Partition, cause: UInt64 = 0, into effects: inout [Effect]
    ) {
        let id = Hash.meaning(
            kind: .inputLogic, person: nil, subject: .number(partition.number),
            cause: ID128(high: cause, low: UInt64(logic)))
        let version = LogicVersion(version: Int(logic))
        effects.append(
            .append(Event(id: id, time: time, body: .inputLogic(version)), partition))
    }
}
