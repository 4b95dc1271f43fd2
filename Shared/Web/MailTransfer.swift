import CCurl
import Glibc

extension RunningTransfer {
    /// Prepares the handle for a mail.
    func setUp(_ call: MailCall) -> Bool {
        guard isAddress(call.sender), isAddress(call.recipient) else { return false }
        return set(CURLOPT_URL, call.url)
            && set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
            // Without this libcurl continues unencrypted if the server does not offer STARTTLS.
            && set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
            && set(call.login)
            && (call.login == nil || set(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN"))
            && setAuthorities(call.authoritiesFile)
            && set(CURLOPT_MAIL_FROM, "<\(call.sender)>")
            && set(CURLOPT_MAIL_RCPT, ["<\(call.recipient)>"])
            && set(CURLOPT_UPLOAD, 1)
            && ccurl_set_size(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(call.message.count)) == 0
            && set(CURLOPT_READFUNCTION, RunningTransfer.readMessage, CURLOPT_READDATA)
            && set(CURLOPT_HEADERFUNCTION, RunningTransfer.receiveReply, CURLOPT_HEADERDATA)
            && set(CURLOPT_VERBOSE, 1)
            && ccurl_set_debug_callback(easy, RunningTransfer.observeCommand) == 0
            && ccurl_set_pointer(easy, CURLOPT_DEBUGDATA, context) == 0
    }

    /// Whether a text is a valid envelope address.
    private func isAddress(_ text: String) -> Bool {
        let forbidden: Set<UInt8> = [UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: " "), 9]
        return !text.isEmpty && isOneLine(text) && !text.utf8.contains { forbidden.contains($0) }
    }

    private static let readMessage: curl_write_callback = { buffer, size, count, context in
        let transfer = RunningTransfer.of(context)
        guard case .mail(let call) = transfer.transfer.call, let buffer else { return 0 }
        let piece = min(size * count, call.message.count - transfer.sentBytes)
        call.message.withUnsafeBytes { message in
            if piece > 0 { _ = memcpy(buffer, message.baseAddress! + transfer.sentBytes, piece) }
        }
        transfer.sentBytes += piece
        // libcurl knows the size, so it may send the final dot without another call.
        if transfer.sentBytes == call.message.count { transfer.dialogue.recordMessageEnd() }
        return piece
    }

    private static let receiveReply: curl_write_callback = { bytes, size, count, context in
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        let transfer = RunningTransfer.of(context)
        transfer.dialogue.receiveReply(String(decoding: line, as: UTF8.self))
        // After a rejection before the final dot, libcurl sends QUIT and blocks until the reply.
        // With the socket's read side shut down, it does not wait.
        if transfer.dialogue.isLeaving, transfer.socket >= 0 {
            shutdown(transfer.socket, Int32(SHUT_RD))
        }
        return line.count
    }

    private static let observeCommand: curl_debug_callback = { _, kind, bytes, size, context in
        guard kind == CURLINFO_HEADER_OUT, let bytes else { return 0 }
        let word = UnsafeRawBufferPointer(start: bytes, count: min(size, 4))
        RunningTransfer.of(context).dialogue.recordCommand(String(decoding: word, as: UTF8.self))
        return 0
    }
}
