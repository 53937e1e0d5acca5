// For tests: HTTP written and read as bytes, so that nothing hides what really went over the wire.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace shakedown::web {

struct Reply {
  int status = 0;                              // 0: no answer, the connection was closed.
  std::map<std::string, std::string> headers;  // Names in lower case.
  std::string body;                            // Chunks put together.
};

// One connection to 127.0.0.1. A read that takes 20 s fails the test's expectations: status 0.
class TestClient {
 public:
  explicit TestClient(int port);
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  // False: the other end has closed.
  bool Send(absl::string_view bytes);
  Reply Read();  // One whole answer.
  Reply ReadHead();
  // The next chunk of a chunked body; empty: the end.
  std::string ReadChunk();
  // The other end closes within 20 s, whatever it sends before.
  bool Closes();
  // No more than so much may wait in the kernel for us to read it.
  void SetReceiveBuffer(int bytes);

 private:
  bool Fill();
  std::string Line();
  std::string Take(size_t size);

  int socket_;
  std::string ahead_;
};

using Fields = std::vector<std::pair<std::string, std::string>>;
std::string Request(const std::string& method, const std::string& target, const Fields& fields,
                    const std::string& body = "");
// On a connection of its own.
Reply Ask(int port, const std::string& request);

}  // namespace shakedown::web
