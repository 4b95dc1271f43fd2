import API

/// A path of the API, as OpenAPI writes it, and the service behind it.
struct Route: Hashable, Sendable {
    let path: String
    let service: Service
    /// Whether phone apps report to it.
    var isOfPhones = false
    var body = Operation.BodySize.usual
    /// Whether it sends events as long as the client reads.
    var isStream = false
    /// Methods of the path that another service serves.
    var others: [Service: [Method]] = [:]

    /// Locations in nginx's syntax: an exact path or a regular expression. Users type the URLs of
    /// phone apps, so these also match with a trailing slash.
    var locations: [String] {
        guard path.contains("{") else {
            return isOfPhones && path != "/" ? ["= \(path)", "= \(path)/"] : ["= \(path)"]
        }
        return ["~ \"^\(pattern)\(isOfPhones ? "/?" : "")$\""]
    }

    /// A regular expression that matches the path.
    var pattern: String {
        let parts = path.split(separator: "/").map { $0.hasPrefix("{") ? "[^/]+" : $0 }
        return "/" + parts.joined(separator: "/")
    }

    /// Every path once; nginx takes the first that matches.
    static let all: [Route] = {
        var known: [String: Int] = [:]
        var routes: [Route] = []
        for operation in Operation.all {
            guard let service = Service(rawValue: operation.service.rawValue) else { continue }
            if let index = known[operation.path] {
                guard routes[index].service != service else { continue }
                routes[index].others[service, default: []].append(operation.method)
                continue
            }
            known[operation.path] = routes.count
            routes.append(
                Route(
                    path: operation.path, service: service, isOfPhones: operation.access == .phone,
                    body: operation.body, isStream: operation.isStream))
        }
        return routes
    }()
}
