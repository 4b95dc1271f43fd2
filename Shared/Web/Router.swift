import Model

/// A service's paths and methods, each leading to a route of its own type.
///
/// ```swift
/// enum Route { case circle, zones }
/// let router = Router<Route>([
///     (.get, "/v1/circles/{circle}", .circle),
///     (.post, "/v1/circles/{circle}/zones", .zones),
/// ])
/// ```
public struct Router<Route: Sendable>: Sendable {
    /// What became of a request.
    public enum Outcome: Sendable {
        case found(Route, Parameters)
        /// 404, 405 with `Allow`, or the answer to OPTIONS: to be sent as it is.
        case answered(Response)
    }

    private struct Pattern: Sendable {
        /// Nil stands for a parameter.
        var literals: [String?]
        /// Names of the parameters in order.
        var names: [String]
        var routes: [(method: Method, route: Route)]

        var literalCount: Int { literals.count - names.count }
    }

    private var patterns: [Pattern] = []
    /// Paths that are written out and that no pattern before theirs fits: found by one look.
    private var plain: [String: [PlainRoute]] = [:]
    private var plainRoutes: [Route] = []

    /// Takes the table in order; of two patterns that fit a path the first wins.
    public init(_ table: [(Method, String, Route)]) {
        for (method, text, route) in table { add(method, text, route) }
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
            plain[text, default: []].append(PlainRoute(method: method, place: plainRoutes.count))
            plainRoutes.append(route)
        }
        if let index = patterns.firstIndex(where: { $0.literals == literals && $0.names == names })
        {
            let taken = patterns[index].routes.contains { $0.method == method }
            invariant(!taken, "\(method.rawValue) \(text) is routed once")
            patterns[index].routes.append((method, route))
        } else {
            patterns.append(
                Pattern(literals: literals, names: names, routes: [(method, route)]))
        }
    }

    /// Finds the route of a request.
    public func route(_ request: Request) -> Outcome {
        for entry in plain[request.path] ?? [] where entry.method == request.method {
            return .found(plainRoutes[entry.place], .none)
        }
        let parts = segments(of: request.path)
        var allowed: [Method] = []
        var exact = 0
        for pattern in patterns {
            guard let values = match(pattern, parts) else { continue }
            // What is written out is not the value of a parameter of another pattern.
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
            return .answered(.problem(.notFound("there is nothing at this path")))
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

/// A route of a path that is written out.
private struct PlainRoute: Sendable {
    var method: Method
    var place: Int
}

extension Response {
    /// 405 with `Allow`, or the answer to OPTIONS, of a path that has methods, but not this one.
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
                detail: "\(method.rawValue) does nothing here", hint: "use one of \(list)"))
        response.headers["Allow"] = list
        return response
    }
}

/// `/a/b` → a, b. A slash at the end makes an empty last part, which matches nothing.
private func segments(of path: String) -> [Substring] {
    let slash = UInt8(ascii: "/")
    return path.utf8.dropFirst(path.utf8.first == slash ? 1 : 0)
        .split(separator: slash, omittingEmptySubsequences: false).map { Substring($0) }
}
