import API
import Dialects

/// Configuration of the nginx in front of the services: one origin, no authentication, and no
/// request log, since paths and queries may contain tokens.
struct NginxConfiguration: Sendable {
    /// Absolute path of nginx's folder; required for ``text`` only.
    var folder = ""
    /// Addresses with ports, such as `127.0.0.1:8080`; required for ``text`` only.
    var listen: [String] = []
    /// Addresses of ``listen`` with TLS, and their certificate.
    var tls: (listen: Set<String>, certificate: String, key: String)?
    var ports: Ports
    /// Whether the services run on this machine; else `JAGA_HOST_…` name their hosts.
    var areServicesHere = false
    /// Whether root starts nginx. Its workers would otherwise run as a user who cannot write to the
    /// folder.
    var isRoot = false

    /// Default limit of bodies; larger ones get 413.
    static let bodyBytesMax = Operation.BodySize.usual.bytesMax
    /// Buffer per request body. nginx reads at most this much ahead, so that slow bodies do not
    /// delay others. Reports never touch nginx's disk.
    static let bodyBufferBytes = 64 << 10
    /// Concurrent requests with bodies larger than any but a photo's.
    static let hugeRequests = 2
    /// Idle connections to services are closed before the services close them.
    static let idleSeconds = 30
    /// Concurrent requests per address; carriers share one address among many phones.
    static let requestsPerAddress = 512
    /// Concurrent requests with a large body, with a body of unknown length, and of senders without
    /// credentials: this many of each.
    static let largeRequests = 24
    /// Concurrent large requests per address, so that nobody uses all of them.
    static let largeRequestsPerAddress = 8
    /// Further large requests per address before the limit of one per second. Services reject
    /// unknown senders at once, but nginx counts them for some seconds more.
    static let largeRequestsBurst = 24
    /// Connections. Idle ones are closed if a new one needs room. A live stream uses two.
    var connections = 4096 + 2 * 12_000
    /// Live streams per address. They do not count as requests: those of a campus behind one
    /// address must not keep anybody from calling for help.
    static let streamsPerAddress = 4096

    /// The complete configuration file.
    var text: String {
        """
        # Written by 'jaga up' at every start.
        daemon off;\(isRoot ? " user root;" : "")
        worker_processes 1;
        worker_rlimit_nofile \(2 * connections + 64);
        pid \(quoted("nginx.pid"));
        error_log stderr crit;

        events {
            worker_connections \(connections);
        }

        http {
        \(indent(http))
        }

        """
    }

    private var http: String {
        let server = "server {\n\(indent(listening + "\n\n" + routes))\n}"
        return [files, rules, server].joined(separator: "\n\n")
    }

    /// Content of the block `http`: limits and upstreams. For this nginx or another one.
    var rules: String {
        let asked = Service.allCases.filter { service in
            Route.all.contains { $0.service == service }
        }
        return ([general, bodyLimits] + asked.map(upstream)).joined(separator: "\n\n")
    }

    private var files: String {
        """
        client_body_temp_path \(quoted("body"));
        proxy_temp_path \(quoted("proxy"));
        fastcgi_temp_path \(quoted("fastcgi"));
        uwsgi_temp_path \(quoted("uwsgi"));
        scgi_temp_path \(quoted("scgi"));
        """
    }

    private var general: String {
        """
        access_log off;
        server_tokens off;
        client_max_body_size \(Self.bodyBytesMax);
        client_body_buffer_size \(Self.bodyBufferBytes);
        proxy_max_temp_file_size 0;
        proxy_http_version 1.1;
        # Bodies are streamed: services read credentials from the header and limit the
        # time and memory of unknown senders, which nginx cannot distinguish.
        proxy_request_buffering off;
        proxy_set_header Connection "";
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header X-Forwarded-Proto $scheme;
        proxy_connect_timeout 2s;
        # Browsers that used TLS once must use it again.
        map $https $jaga_hsts {
            default "";
            on "max-age=31536000";
        }
        # OsmAnd's protocol uses the root path; requests without an identity are browsers.
        map "$request_method \(Self.names)" $reads_root {
            default 0;
            "~^(GET|HEAD) $" 1;
        }
        # Slow or greedy clients must not block others.
        client_header_timeout 10s;
        client_body_timeout 20s;
        send_timeout 30s;
        lingering_time 3s;
        reset_timedout_connection on;
        # Address for limits: for IPv6 its /64 network, in bytes because texts omit zeros.
        # 127.0.0.1 is not limited.
        map $binary_remote_addr $jaga_address {
            default $remote_addr;
            "~(?s)^(?!\\x00{8})(.{8}).{8}$" $1;
            "~^\\x7f\\x00\\x00\\x01$" "";
        }
        # Large bodies, and separately those of unknown length:
        # on paths with large bodies for GET too.
        map $uri $jaga_takes {
            default some;
            "~^(\(Self.largePatterns))/?$" large;
        }
        map "\(Self.lengths):$jaga_takes" $jaga_body {
            default "";
            "~^[^:]*:[^:]*:([3-9][0-9]{5}|[0-9]{7,}):" large;
            "~^[^:]*:[^:]*:[^:]*:[^:]" chunked;
            "~^(?!(GET|HEAD|OPTIONS):)[^:]*:HTTP/2[^:]*::" chunked;
            "~^[^:]*:HTTP/2[^:]*:::large$" chunked;
        }
        # Senders without credentials have separate limits.
        map "$uri:\(Self.names)$http_cookie" $jaga_sender {
            default named;
            "~^(?!/overland/.)[^:]*:$" anonymous;
        }
        map "$jaga_body:$jaga_sender" $jaga_large {
            default "";
            "~^(?<jaga_kind>large|chunked):(?<jaga_who>.*)$" "$jaga_kind $jaga_who";
        }
        map "$jaga_body $jaga_address" $jaga_large_address {
            default "";
            "~(?s)^(large|chunked) ." "$jaga_body $jaga_address";
        }
        map $content_length $jaga_huge {
            default "";
            "~^(9[0-9]{6}|[0-9]{8,})$" all;
        }
        limit_conn_zone $jaga_address zone=jaga_addresses:10m;
        limit_conn_zone $jaga_address zone=jaga_streams:10m;
        limit_conn_zone $jaga_large zone=jaga_large:1m;
        limit_conn_zone $jaga_large_address zone=jaga_large_addresses:10m;
        limit_req_zone $jaga_large_address zone=jaga_large_rates:10m rate=1r/s;
        limit_req_status 503;
        limit_req zone=jaga_large_rates burst=\(Self.largeRequestsBurst) nodelay;
        limit_conn jaga_addresses \(Self.requestsPerAddress);
        limit_conn jaga_large \(Self.largeRequests);
        limit_conn jaga_large_addresses \(Self.largeRequestsPerAddress);
        limit_conn_zone $jaga_huge zone=jaga_huge:1m;
        limit_conn jaga_huge \(Self.hugeRequests);
        """
    }

    private static let largePatterns = Route.all.filter { $0.body.bytesMax > bodyBytesMax }
        .sorted { $0.path < $1.path }.map(\.pattern).joined(separator: "|")
    /// Variables that determine the size of a body.
    private static let lengths =
        "$request_method:$server_protocol:$content_length:$http_transfer_encoding"

    /// Variables by which a phone may identify itself.
    static let names = (PhoneIdentity.names.map { "arg_" + $0 } + ["http_authorization"])
        .map { "$" + $0 }.joined()

    private func upstream(_ service: Service) -> String {
        let host = areServicesHere ? ports.here : ports.host(of: service)
        return """
            upstream \(service.rawValue) {
                server \(host):\(ports.http(service));
                keepalive 32;
                keepalive_timeout \(Self.idleSeconds)s;
            }
            """
    }

    private func limit(of route: Route) -> String {
        let most = route.body.bytesMax
        guard most > Self.bodyBytesMax else { return "" }
        return "client_max_body_size \(most); "
    }

    /// The size limit of each path, for the text of 413 responses.
    private var bodyLimits: String {
        let large = Route.all.filter { $0.body.bytesMax > Self.bodyBytesMax }
        let lines = large.map { "\"~^\($0.pattern)/?$\" \($0.body.bytesMax);" }
        return """
            map $uri $jaga_body_bytes {
                default \(Self.bodyBytesMax);
            \(indent(lines.joined(separator: "\n")))
            }
            """
    }

    private var listening: String {
        var lines = listen.map { address in
            "listen \(address)\(tls?.listen.contains(address) == true ? " ssl" : "");"
        }
        if let tls {
            lines += [
                "ssl_certificate \"\(tls.certificate)\";",
                "ssl_certificate_key \"\(tls.key)\";", Self.transportSecurity,
            ]
        }
        return lines.joined(separator: "\n")
    }

    /// Protocols, ciphers and sessions of TLS, for the blocks `http` and `server`. The one template
    /// of all nginx configurations; ``routes`` add HSTS.
    static let transportSecurity = """
        ssl_protocols TLSv1.2 TLSv1.3;
        # Only ciphers with forward secrecy and authenticated encryption; all of TLS 1.3 have both.
        ssl_ciphers "ECDHE+AESGCM:ECDHE+CHACHA20";
        ssl_prefer_server_ciphers off;
        ssl_ecdh_curve X25519:prime256v1:secp384r1;
        ssl_session_cache shared:tls:4m;
        ssl_session_timeout 1d;
        ssl_session_tickets off;
        """

    /// Turns off nginx's request errors, for an nginx whose log is not masked.
    static let noErrorLog = """
        # Errors repeat the request line, which holds tokens and positions.
        error_log /dev/null emerg;
        """

    /// Content of the block `server`: the service of each path.
    var routes: String {
        let routes = Route.all.flatMap { route in
            let limit = limit(of: route)
            let page = route.path == "/" ? "if ($reads_root) { return 404; } " : ""
            // Emergencies bypass the limits on large bodies.
            let urgent = route.body == .ignored ? "limit_conn jaga_large 4096; " : ""
            let stream = route.isStream ? Self.stream : ""
            let target =
                "\(urgent)\(stream)\(page)\(others(of: route))"
                + "proxy_pass http://\(route.service.rawValue);"
            return route.locations.map { "location \($0) { \(limit)\(target) }" }
        }
        let parts = [
            "add_header \(Self.hsts) always;", Self.answers.map(\.text).joined(separator: "\n"),
            (routes + ["location / { return 404; }"]).joined(separator: "\n"),
        ]
        return parts.joined(separator: "\n\n")
    }

    /// The services of methods that the path's own does not serve. A HEAD goes with its GET.
    private func others(of route: Route) -> String {
        route.others.sorted { $0.key.rawValue < $1.key.rawValue }.map { service, methods in
            let names = methods.map(\.rawValue) + (methods.contains(.get) ? ["HEAD"] : [])
            return "if ($request_method ~ ^(\(names.joined(separator: "|")))$) "
                + "{ proxy_pass http://\(service.rawValue); } "
        }.joined()
    }

    /// Settings of a path with server-sent events: passed on at once, with a timeout of several
    /// keep-alives, and counted apart from requests.
    private static let stream =
        "proxy_buffering off; proxy_read_timeout 60s; "
        + "limit_conn jaga_streams \(streamsPerAddress); "

    private static let hsts = "Strict-Transport-Security $jaga_hsts"

    /// nginx's own error responses, in the form of the services' errors. A restarting service is
    /// 503 with Retry-After, so that phones keep their reports and retry.
    private static let answers = [
        Answer(to: 404, title: "Not found", detail: "No service has this path."),
        Answer(
            to: 405, title: "Method not allowed", detail: "The path does not support this method.",
            header: "Allow \"GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\""),
        Answer(
            to: 413, title: "Too large",
            detail: "The body exceeds the limit of $jaga_body_bytes bytes. "
                + "Split it, simplify shapes, or use smaller photos."),
        Answer(
            to: 502, as: 503, title: "Not available", detail: "The service is starting.",
            retrySeconds: 1),
        Answer(
            to: 503, title: "Not available", detail: "Too many concurrent requests.",
            retrySeconds: 5),
        Answer(
            to: 504, as: 503, title: "Not available",
            detail: "The service did not respond in time.",
            retrySeconds: 5),
    ]

    private struct Answer {
        let status: Int
        let text: String

        init(
            to status: Int, as shown: Int? = nil, title: String, detail: String,
            retrySeconds: Int? = nil, header: String? = nil
        ) {
            self.status = status
            let shown = shown ?? status
            let body =
                #"{"type":"about:blank","title":"\#(title)","status":\#(shown),"#
                + #""detail":"\#(detail)"}"#
            // Headers of a location replace those of its server.
            let lines = [NginxConfiguration.hsts, header, retrySeconds.map { "Retry-After \($0)" }]
                .compactMap(\.self)
            let retry = lines.map { "\n    add_header \($0) always;" }.joined()
            text = """
                error_page \(status) = @answer\(status);
                location @answer\(status) {
                    default_type application/problem+json;\(retry)
                    return \(shown) '\(body)';
                }
                """
        }
    }

    private func quoted(_ file: String) -> String { "\"\(folder)/\(file)\"" }

    private func indent(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
    }
}
