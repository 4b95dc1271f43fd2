import Bus
import Hosting
import Store

/// A bug that a test plants between a process and its host, to check that it is detected.
protocol PlantedBug: AnyObject {
    func transport(_ inner: SimulatedTransport, of slot: ProcessSlot) -> any BusTransport
    func store(_ inner: SQLiteBusStore, _ database: Database, of slot: ProcessSlot)
        -> RecordingBusStore
    func service(_ inner: any Service, of slot: ProcessSlot) -> any Service
    func meddle(_ service: InterceptedService, of slot: ProcessSlot)
}

extension PlantedBug {
    func transport(_ inner: SimulatedTransport, of slot: ProcessSlot) -> any BusTransport { inner }
    func store(
        _ inner: SQLiteBusStore, _ database: Database, of slot: ProcessSlot
    ) -> RecordingBusStore { RecordingBusStore(inner, archive: slot.archive) }
    func service(_ inner: any Service, of slot: ProcessSlot) -> any Service { inner }
    func meddle(_ service: InterceptedService, of slot: ProcessSlot) {}
}
