/// The HTTP methods of services and gateways.
///
/// A HEAD request reaches a service as `.get`: the server sends the answer without its body.
public enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"
}
