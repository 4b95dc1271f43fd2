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
            && set(CURLOPT_HEADERFUNCTION, RunningTransfer.takeHeader, CURLOPT_HEADERDATA)
            && set(CURLOPT_WRITEFUNCTION, RunningTransfer.takeBody, CURLOPT_WRITEDATA)
    }

    /// On a kept connection that turns out dead libcurl sends the request again by itself, though
    /// the other side may have taken the first one.
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
        // libcurl would call any body a form.
        if carriesBody, call.headers["Content-Type"] == nil { lines.append("Content-Type:") }
        guard set(CURLOPT_HTTPHEADER, lines) else { return false }
        if carriesBody {
            // An empty array has no address, and libcurl would then read the body from elsewhere.
            let isTaken = (call.body + [0]).withUnsafeBytes { body in
                ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(call.body.count)) == 0
                    && ccurl_set_pointer(
                        easy, CURLOPT_COPYPOSTFIELDS,
                        UnsafeMutableRawPointer(mutating: body.baseAddress)) == 0
            }
            guard isTaken else { return false }
        }
        return set(CURLOPT_CUSTOMREQUEST, call.method.rawValue)
    }

    private static let takeHeader: curl_write_callback = { bytes, size, count, context in
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        RunningTransfer.of(context).answer.takeHeader(line)
        return line.count
    }

    private static let takeBody: curl_write_callback = { bytes, size, count, context in
        let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return RunningTransfer.of(context).answer.takeBody(piece)
    }
}

/// What comes back from an HTTP server.
struct AnswerCollector {
    var bodyBytesMax = 0
    private(set) var headers = Headers()
    private(set) var body: [UInt8] = []
    private(set) var isCut = false
    private var headerBytes = 0

    /// One line: a status line begins anew (a 100 may come before the answer).
    mutating func takeHeader(_ line: UnsafeRawBufferPointer) {
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

    /// - Returns: bytes taken; fewer than there are end the transfer.
    mutating func takeBody(_ piece: UnsafeRawBufferPointer) -> Int {
        let taken = min(piece.count, bodyBytesMax - body.count)
        body.append(contentsOf: piece[..<taken])
        if taken < piece.count { isCut = true }
        return taken
    }

    /// What came by now, which is not kept.
    mutating func moveBody() -> [UInt8] {
        defer { body = [] }
        return body
    }

    /// A status is an answer, also when its body did not come completely. Without one it depends on
    /// whether any of the request left.
    ///
    /// - Parameter failure: what the library says when the transfer failed, else nil
    func outcome(_ failure: String?, _ easy: UnsafeMutableRawPointer) -> TransferOutcome {
        let status = ccurl_number(easy, CURLINFO_RESPONSE_CODE)
        if status >= 200 {
            return .answered(
                TransferAnswer(
                    status: status, headers: headers, body: body,
                    isCut: isCut || failure != nil))
        }
        let isConnected = ccurl_size(easy, CURLINFO_PRETRANSFER_TIME_T) > 0
        let hasLeft = isConnected && ccurl_number(easy, CURLINFO_REQUEST_SIZE) > 0
        return .failed(
            TransferFailure(
                fate: hasLeft ? .unknown : .notSent, message: failure ?? "no answer"))
    }
}

/// A text without blanks and line ends around it.
func trimmed(_ text: String) -> String {
    let blanks: Set<Character> = [" ", "\t", "\r", "\n", "\r\n"]
    let rest = text.drop { blanks.contains($0) }
    return String(rest.reversed().drop { blanks.contains($0) }.reversed())
}
