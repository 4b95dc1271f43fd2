import Web

/// Cookies that pending responses set.
struct SessionCookies {
    /// `Set-Cookie` by request.
    private var headers: [UInt64: String] = [:]

    func contains(_ request: UInt64) -> Bool { headers[request] != nil }

    mutating func set(_ header: String, for request: UInt64) { headers[request] = header }

    /// Adds the cookie to the response of a request, if there is one.
    mutating func add(to response: Response, of request: UInt64) -> Response {
        guard let header = headers.removeValue(forKey: request) else { return response }
        var response = response
        // The response may already remove or set it.
        if response.headers["Set-Cookie"] == nil { response.headers["Set-Cookie"] = header }
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    /// Forgets cookies of a rolled-back turn.
    mutating func rolledBack(keeping requests: Set<UInt64>) {
        headers = headers.filter { requests.contains($0.key) }
    }
}
