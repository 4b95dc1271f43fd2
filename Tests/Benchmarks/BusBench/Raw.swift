import Bus
import CZeroMQ
import Glibc
import Model
import Store
import Wire

/// The limit of the disk: the same rows, 256 per transaction, and nothing else.
struct RawStore {
    let options: Options

    init(_ options: Options) { self.options = options }

    func run() throws {
        let database = try Database(path: options["store"], migrations: SQLiteBusStore.migrations)
        let store = SQLiteBusStore(database)
        let count = options.number("count")
        var records = Records(size: options.number("size"))
        var positions = Partition.all.map { (StreamName.input($0), Position.unknown) }
        let ready = try (0..<count).map { _ in try records.next() }
        let start = microseconds()
        for (number, record) in ready.enumerated() {
            let index = number % positions.count
            // Computing chain hashes is not part of the disk's limit.
            positions[index].1.sequence += 1
            try store.append(
                record, at: positions[index].1, of: positions[index].0, now: .zero)
            if number % 256 == 255 || number + 1 == count { try database.commit() }
        }
        emit("whole", ["records": count, "first": start, "last": microseconds()])
    }
}

/// The limit of the network: the same batches over PUB and SUB, with unlimited queues, without a
/// disk or decoding.
struct RawPublisher {
    let options: Options

    init(_ options: Options) { self.options = options }

    func run() throws {
        let socket = zmq_socket(zmq_ctx_new(), ZMQ_PUB)
        var unlimited: CInt = 0
        zmq_setsockopt(socket, ZMQ_SNDHWM, &unlimited, 4)
        guard zmq_bind(socket, "tcp://127.0.0.1:*") == 0 else { fatalError("cannot bind") }
        var text = [CChar](repeating: 0, count: 256)
        var size = text.count
        zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, &text, &size)
        let end = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let frames = try frames()
        emit("ready", ["publish": String(decoding: end, as: UTF8.self)])
        _ = readLine()
        let start = microseconds()
        for frame in frames { zmq_send(socket, frame, frame.count, 0) }
        emit("loaded", ["microseconds": microseconds() - start, "begun": start])
        _ = readLine()
    }

    /// Cut like those of a publisher with 256 records per turn for 64 streams: four per batch.
    private func frames() throws -> [[UInt8]] {
        var records = Records(size: options.number("size"))
        var frames: [[UInt8]] = []
        for number in 0..<options.number("count") / 4 {
            let stream = StreamName.all[number % 64]
            let batch = Batch(
                stream: stream, after: .start(of: .zero),
                records: try (0..<4).map { _ in try records.next() }, head: 4, published: .zero)
            frames.append(batch.encoded())
        }
        return frames
    }
}

struct RawSubscriber {
    let options: Options

    init(_ options: Options) { self.options = options }

    func run() {
        let socket = zmq_socket(zmq_ctx_new(), ZMQ_SUB)
        var unlimited: CInt = 0
        zmq_setsockopt(socket, ZMQ_RCVHWM, &unlimited, 4)
        zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0)
        zmq_connect(socket, options["publish"])
        // Publishers drop frames before a subscription is effective.
        usleep(300_000)
        emit("ready")
        let count = options.number("count") / 4
        var message = zmq_msg_t()
        zmq_msg_init(&message)
        var first: Int64 = 0
        for number in 0..<count {
            zmq_msg_recv(&message, socket, 0)
            if number == 0 { first = microseconds() }
        }
        zmq_msg_close(&message)
        emit("whole", ["records": count * 4, "first": first, "last": microseconds()])
    }
}
