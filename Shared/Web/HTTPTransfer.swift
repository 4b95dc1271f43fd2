import CCurl

extension RunningTransfer {
    /// Prepares the handle for an HTTP call.
    func setUp(_ call: HTTPCall) -> Bool {
        set(CURLOPT_URL, call.url)
            && set(CURLOPT_PROTOCOLS_STR, "http,https")
            && set(CURLOPT_FOLLOWLOCATION, 0)
            && set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
            && set(CURLOPT_USERAGENT, "jaga")
            && setConnection(call)
            && setRequest(call)
            && set(call.login)
            && setAuthorities(call.authoritiesFile)
            && set(CURLOPT_HEADERFUNCTION, RunningTransfer.receiveHeader, CURLOPT_HEADERDATA)
            && set(CURLOPT_WRITEFUNCTION, RunningTransfer.receiveBody, CURLOPT_WRITEDATA)
    }

    /// If a reused connection turns out to be closed, libcurl repeats the request, although the
    /// server may have handled the first one. Only repeatable calls may reuse connections.
    private func setConnection(_ call: HTTPCall) -> Bool {
        call.isRepeatable || set(CURLOPT_FRESH_CONNECT, 1) && set(CURLOPT_FORBID_REUSE, 1)
    }

    private func setRequest(_ call: HTTPCall) -> Bool {
        answer.bodyBytesMax = call.answerBytesMax
        var lines = call.headers.map {
            $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)"
        }
        lines.append("Expect:")
        let carriesBody = !call.body.isEmpty || [.post, .put, .patch].contains(call.method)
        // libcurl's default for any body is a form.
        if carriesBody, call.headers["Content-Type"] == nil { lines.append("Content-Type:") }
        guard set(CURLOPT_HTTPHEADER, lines) else { return false }
        if carriesBody {
            // An empty array has no address; libcurl would read the body from its callback then.
            let isAccepted = (call.body + [0]).withUnsafeBytes { body in
                ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(call.body.count)) == 0
                    && ccurl_set_pointer(
                        easy, CURLOPT_COPYPOSTFIELDS,
                        UnsafeMutableRawPointer(mutating: body.baseAddress)) == 0
            }
            guard isAccepted else { return false }
        }
        return set(CURLOPT_CUSTOMREQUEST, call.method.rawValue)
    }

    private static let receiveHeader: curl_write_callback = { bytes, size, count, context in
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        RunningTransfer.of(context).answer.receiveHeader(line)
        return line.count
    }

    private static let receiveBody: curl_write_callback = { bytes, size, count, context in
        let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return RunningTransfer.of(context).answer.receiveBody(piece)
    }
}

/// Collects the response of an HTTP server.
struct ResponseCollector {
    var bodyBytesMax = 0
    private(set) var headers = Headers()
    private(set) var body: [UInt8] = []
    private(set) var isCut = false
    private var headerBytes = 0

    /// Parses one line. A status line starts a new header, since a 100 may precede the response.
    mutating func receiveHeader(_ line: UnsafeRawBufferPointer) {
        if line.starts(with: "HTTP/".utf8) {
            headers = Headers()
            headerBytes = 0
            return
        }
        headerBytes += line.count
        guard headerBytes <= TransferLimits.headerBytes,
            let colon = line.firstIndex(of: UInt8(ascii: ":"))
        else { return }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        headers.append(name, trimmed(String(decoding: line[(colon + 1)...], as: UTF8.self)))
    }

    /// Appends a piece of the body.
    ///
    /// - Returns: accepted bytes; fewer than the piece has end the transfer
    mutating func receiveBody(_ piece: UnsafeRawBufferPointer) -> Int {
        let accepted = min(piece.count, bodyBytesMax - body.count)
        body.append(contentsOf: piece[..<accepted])
        if accepted < piece.count { isCut = true }
        return accepted
    }

    /// Returns and removes the part of the body that has arrived.
    mutating func drainBody() -> [UInt8] {
        defer { body = [] }
        return body
    }

    /// The outcome of the transfer. A status is a response even if its body is incomplete; without
    /// one the outcome depends on whether a part of the request was sent.
    ///
    /// - Parameter failure: the library's message if the transfer failed, else nil
    func outcome(_ failure: String?, _ easy: UnsafeMutableRawPointer) -> TransferOutcome {
        let status = ccurl_number(easy, CURLINFO_RESPONSE_CODE)
        if status >= 200 {
            return .answered(
                TransferAnswer(
                    status: status, headers: headers, body: body,
                    isCut: isCut || failure != nil))
        }
        let isConnected = ccurl_size(easy, CURLINFO_PRETRANSFER_TIME_T) > 0
        let wasSent = isConnected && ccurl_number(easy, CURLINFO_REQUEST_SIZE) > 0
        return .failed(
            TransferFailure(
                fate: wasSent ? .unknown : .notSent, message: failure ?? "no response"))
    }
}

/// Returns a text without leading and trailing whitespace.
func trimmed(_ text: String) -> String {
    let blanks: Set<Character> = [" ", "\t", "\r", "\n", "\r\n"]
    let rest = text.drop { blanks.contains($0) }
    return String(rest.reversed().drop { blanks.contains($0) }.reversed())
}
