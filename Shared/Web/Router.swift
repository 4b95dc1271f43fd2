import API
import Model

/// Maps the paths and methods of a service to routes.
///
/// ```swift
/// enum Route { case circle, zones }
/// let router = Router<Route>([
///     (.get, "/v1/circles/{circle}", .circle),
///     (.post, "/v1/circles/{circle}/zones", .zones),
/// ])
/// ```
public struct Router<Route: Sendable>: Sendable {
    /// Result of routing a request.
    public enum Outcome: Sendable {
        case found(Route, Parameters)
        /// 404, 405 with `Allow`, or the response to OPTIONS.
        case answered(Response)
    }

    private struct Pattern: Sendable {
        /// Segments; nil = a parameter.
        var literals: [String?]
        /// Names of the parameters in order.
        var names: [String]
        var routes: [(method: Method, route: Route)]

        var literalCount: Int { literals.count - names.count }
    }

    private var patterns: [Pattern] = []
    /// Literal paths that no earlier pattern matches, for a fast lookup.
    private var plain: [String: [PlainRoute]] = [:]
    private var plainRoutes: [Route] = []

    /// - Parameter table: routes in order; if two patterns match a path, the first one wins
    public init(_ table: [(Method, String, Route)]) {
        for (method, text, route) in table { add(method, text, route) }
    }

    /// Routes the operations of a service. Users type the addresses of phone protocols, some with a
    /// trailing slash.
    public init<ID>(_ table: [RoutedOperation<ID>]) where Route == RoutedOperation<ID> {
        self.init(
            table.flatMap { route in
                let path = route.operation.path
                let isTyped = route.operation.access == .phone && path != "/"
                return (isTyped ? [path, path + "/"] : [path]).map {
                    (route.operation.method, $0, route)
                }
            })
    }

    private mutating func add(_ method: Method, _ text: String, _ route: Route) {
        var literals: [String?] = []
        var names: [String] = []
        let parts = segments(of: text)
        for part in parts {
            if part.hasPrefix("{"), part.hasSuffix("}") {
                literals.append(nil)
                names.append(String(part.dropFirst().dropLast()))
            } else {
                literals.append(String(part))
            }
        }
        let isPlain = names.isEmpty && text.utf8.first == UInt8(ascii: "/")
        if isPlain, !patterns.contains(where: { !$0.names.isEmpty && match($0, parts) != nil }) {
            plain[text, default: []].append(PlainRoute(method: method, index: plainRoutes.count))
            plainRoutes.append(route)
        }
        if let index = patterns.firstIndex(where: { $0.literals == literals && $0.names == names })
        {
            let isDuplicate = patterns[index].routes.contains { $0.method == method }
            invariant(!isDuplicate, "\(method.rawValue) \(text) is routed once")
            patterns[index].routes.append((method, route))
        } else {
            patterns.append(
                Pattern(literals: literals, names: names, routes: [(method, route)]))
        }
    }

    /// Finds the route of a request.
    public func route(_ request: Request) -> Outcome {
        for entry in plain[request.path] ?? [] where entry.method == request.method {
            return .found(plainRoutes[entry.index], .none)
        }
        let parts = segments(of: request.path)
        var allowed: [Method] = []
        var exact = 0
        for pattern in patterns {
            guard let values = match(pattern, parts) else { continue }
            // A literal segment of one pattern is no parameter value of another.
            let literals = pattern.literalCount
            guard literals >= exact else { continue }
            exact = literals
            if let entry = pattern.routes.first(where: { $0.method == request.method }) {
                return .found(
                    entry.route,
                    Parameters(Array(zip(pattern.names, values)).map { ($0.0, $0.1) }))
            }
            allowed += pattern.routes.map(\.method)
        }
        guard !allowed.isEmpty else {
            return .answered(.problem(.notFound("unknown path")))
        }
        return .answered(.refusal(of: request.method, allowed: allowed))
    }

    private func match(_ pattern: Pattern, _ parts: [Substring]) -> [String]? {
        guard pattern.literals.count == parts.count else { return nil }
        var values: [String] = []
        for (literal, part) in zip(pattern.literals, parts) {
            if let literal {
                guard literal == part else { return nil }
            } else {
                guard !part.isEmpty else { return nil }
                values.append(Percent.decode(part))
            }
        }
        return values
    }
}

/// Route of a literal path.
private struct PlainRoute: Sendable {
    var method: Method
    var index: Int
}

extension Response {
    /// The response for a method that a path does not support: 405 with `Allow`, or that to
    /// OPTIONS.
    public static func refusal(of method: Method, allowed: [Method]) -> Response {
        var names: [String] = []
        for allowed in allowed + [.options] where !names.contains(allowed.rawValue) {
            names.append(allowed.rawValue)
            if allowed == .get { names.append("HEAD") }
        }
        let list = names.joined(separator: ", ")
        if method == .options { return Response(status: 204, headers: ["Allow": list]) }
        var response = Response.problem(
            Problem(
                status: 405, title: "Method not allowed",
                detail: "this path does not support \(method.rawValue)",
                hint: "use one of \(list)"))
        response.headers["Allow"] = list
        return response
    }
}

/// `/a/b` → a, b. A trailing slash gives an empty last segment, which matches nothing.
private func segments(of path: String) -> [Substring] {
    let slash = UInt8(ascii: "/")
    return path.utf8.dropFirst(path.utf8.first == slash ? 1 : 0)
        .split(separator: slash, omittingEmptySubsequences: false).map { Substring($0) }
}
