import Bus
import Hosting
import Store

/// A bug that a test puts between a process and its surroundings, to see whether it is found.
protocol Plant: AnyObject {
    func transport(_ inner: SimulatedTransport, of seat: Seat) -> any BusTransport
    func store(_ inner: SQLiteBusStore, _ database: Database, of seat: Seat) -> MiddleStore
    func service(_ inner: any Service, of seat: Seat) -> any Service
    func meddle(_ service: Meddled, of seat: Seat)
}

extension Plant {
    func transport(_ inner: SimulatedTransport, of seat: Seat) -> any BusTransport { inner }
    func store(
        _ inner: SQLiteBusStore, _ database: Database, of seat: Seat
    ) -> MiddleStore { MiddleStore(inner, archive: seat.archive) }
    func service(_ inner: any Service, of seat: Seat) -> any Service { inner }
    func meddle(_ service: Meddled, of seat: Seat) {}
}
