import Hashing
import Model

/// Puts records on `in/p`: their times never decrease, and each partition begins with the version
/// of the logic.
struct Sequencer {
    /// Time of the youngest record of any partition.
    private(set) var time: Timestamp
    /// Bit n: partition n has its first record.
    private var opened: UInt64 = 0

    init(time: Timestamp, opened: some Sequence<Partition>) {
        self.time = time
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
        if now > time {
            time = now
            effects.append(.saveTime(now))
        }
        let bit: UInt64 = 1 << UInt64(partition.number)
        if opened & bit == 0 {
            opened |= bit
            open(partition, into: &effects)
        }
        effects.append(
            .append(Event(id: id, time: time, trace: trace, body: body), partition))
        return time
    }

    private func open(_ partition: Partition, into effects: inout [Effect]) {
        let version = LogicVersion(version: Limits.logicVersion)
        let id = Hash.meaning(
            kind: .inputLogic, person: nil, subject: .number(partition.number),
            cause: ID128(high: 0, low: UInt64(version.version)))
        effects.append(.savePartition(partition))
        effects.append(
            .append(Event(id: id, time: time, body: .inputLogic(version)), partition))
    }
}
