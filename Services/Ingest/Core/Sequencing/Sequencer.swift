import Directory
import Hashing
import Model

/// A change of the stored state of ``Sequencer``.
public enum SequencingEffect: Hashable, Sendable {
    /// The first record of `in/p` of this partition follows.
    case savePartition(Partition)
    /// Time of the newest record of any partition.
    case saveTime(Timestamp)
    /// Version of the logic in force in all partitions.
    case saveLogic(UInt16)
}

/// Appends records to `in/p`. Their times never decrease, and each partition begins with the logic
/// version.
public struct Sequencer: Sendable {
    /// Time of the newest record of any partition.
    private(set) var time: Timestamp
    /// Version of the logic in force in all logs.
    public private(set) var logic: UInt16
    /// Bit n is set if partition n has a record.
    private var opened: UInt64 = 0

    init(time: Timestamp, logic: UInt16, opened: some Sequence<Partition>) {
        self.time = time
        self.logic = logic
        for partition in opened { self.opened |= 1 << UInt64(partition.number) }
    }

    /// Appends one record after all records appended before.
    mutating func append(
        _ body: EventBody, id: EventID, trace: String = "", to partition: Partition,
        _ turn: inout Turn<Effect>
    ) {
        advance(&turn)
        let bit: UInt64 = 1 << UInt64(partition.number)
        if opened & bit == 0 {
            opened |= bit
            turn.emit(.sequencing(.savePartition(partition)))
            appendLogic(to: partition, &turn)
        }
        turn.emit(.append(Event(id: id, time: time, trace: trace, body: body), partition))
    }

    /// Appends a record about a person to their partition.
    mutating func append(
        _ body: EventBody, of person: PersonID, cause: ID128, trace: String,
        _ turn: inout Turn<Effect>
    ) {
        append(
            body, id: Hash.derivedID(kind: body.kind, person: person, cause: cause), trace: trace,
            to: Partition.of(person), &turn)
    }

    /// Appends a record that concerns everybody to each of these partitions.
    mutating func append(
        _ body: EventBody, toEach partitions: [Partition], _ turn: inout Turn<Effect>
    ) {
        for partition in partitions {
            let id = Hash.derivedID(
                kind: body.kind, person: nil, subject: .number(partition.number),
                cause: Hash.id("at", .number(turn.now.microseconds)))
            append(body, id: id, to: partition, &turn)
        }
    }

    /// Partitions that have a record, ascending.
    var begun: [Partition] {
        Partition.all.filter { opened & (1 << UInt64($0.number)) != 0 }
    }

    /// Advances the time without a record.
    mutating func advance(_ turn: inout Turn<Effect>) {
        guard turn.now > time else { return }
        time = turn.now
        turn.emit(.sequencing(.saveTime(turn.now)))
    }

    /// Whether no partition has a record.
    public var isEmpty: Bool { opened == 0 }

    /// Switches every log that has a record to a newer version of the logic.
    mutating func raiseLogic(to version: UInt16, _ turn: inout Turn<Effect>) {
        guard version > logic else { return }
        logic = version
        time = max(time, turn.now)
        turn.effects += [.sequencing(.saveTime(time)), .sequencing(.saveLogic(version))]
        for partition in begun { appendLogic(to: partition, &turn) }
    }

    /// Appends the current version again: a record that changes nothing.
    mutating func repeatLogic(to partitions: [Partition], _ turn: inout Turn<Effect>) {
        advance(&turn)
        let begun = Set(begun)
        for partition in partitions where begun.contains(partition) {
            appendLogic(to: partition, cause: UInt64(bitPattern: time.microseconds), &turn)
        }
    }

    private func appendLogic(to partition: Partition, cause: UInt64 = 0, _ turn: inout Turn<Effect>)
    {
        let id = Hash.derivedID(
            kind: .inputLogic, person: nil, subject: .number(partition.number),
            cause: ID128(high: cause, low: UInt64(logic)))
        let version = LogicVersion(version: Int(logic))
        turn.emit(
            .append(Event(id: id, time: time, body: .inputLogic(version)), partition))
    }
}
