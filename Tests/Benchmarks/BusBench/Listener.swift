import Bus
import Model
import Runtime
import Store
import Wire

/// Follows `sos` of ingest with a store, as the notifier does, and reports when each emergency was
/// committed.
struct Listener {
    let options: Options

    init(_ options: Options) { self.options = options }

    func run() throws {
        let database = try Database(path: options["store"], migrations: SQLiteBusStore.migrations)
        var configuration = Bus.Configuration(name: "listener")
        configuration.acknowledges = false
        configuration.start = .head
        configuration.peers = [
            Bus.Peer(
                name: "ingest", publishEndpoint: options["publish"],
                controlEndpoint: options["control"], streams: [.sos])
        ]
        configuration.security = try options.security(.operator)
        let bus = try Bus(
            configuration: configuration, store: SQLiteBusStore(database), clock: SystemClock())
        let commands = Commands()
        var isReady = false
        while !commands.isEnded {
            Loop.wait(on: [bus, commands], atMost: 100)
            _ = commands.drain()
            var raised: [EmergencyID] = []
            try bus.receive { _, _, record in
                guard case .sosRaised(let signal) = try EventCodec.decode(record).body else {
                    return
                }
                raised.append(signal.id)
            }
            if database.isInTransaction { try database.commit() }
            bus.committed()
            try bus.tick()
            for id in raised { emit("raised", ["id": "\(id)", "at": microseconds()]) }
            if !isReady, bus.isCaughtUp {
                isReady = true
                emit("ready")
            }
        }
    }
}
