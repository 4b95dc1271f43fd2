import API
import Web

typealias Endpoint = IngestOperation

extension Endpoint {
    static let router = Router(IngestOperation.table)
}
