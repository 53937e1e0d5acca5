#include "agent/runner/setup/kernel_config.h"

#include <zlib.h>

#include <string>

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

std::string Gzip(const std::string& text) {
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(text.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

TEST(GunzipTest, RoundTripAndRefusals) {
  const std::string text = std::string(100000, 'a') + "CONFIG_HZ=250\n";
  const std::string packed = Gzip(text);
  EXPECT_EQ(Gunzip(packed).value(), text);
  EXPECT_FALSE(Gunzip(packed.substr(0, packed.size() / 2)).ok());
  EXPECT_FALSE(Gunzip("").ok());
  EXPECT_FALSE(Gunzip("not gzip").ok());
  EXPECT_FALSE(Gunzip(Gzip(std::string(9 << 20, '\0'))).ok());
}

TEST(ConfigFactsTest, HzAndPreemption) {
  using Facts = std::map<std::string, std::string>;
  EXPECT_EQ(ConfigFacts("CONFIG_HZ_250=y\nCONFIG_HZ=250\nCONFIG_PREEMPT_VOLUNTARY=y\n"),
            (Facts{{"kernel.hz", "250"}, {"kernel.preemption", "voluntary"}}));
  EXPECT_EQ(ConfigFacts("CONFIG_PREEMPT=y\nCONFIG_PREEMPT_RT=y\nCONFIG_PREEMPT_DYNAMIC=y"),
            (Facts{{"kernel.preemption", "rt"}, {"kernel.preempt_dynamic", "y"}}));
  EXPECT_EQ(ConfigFacts("# CONFIG_PREEMPT is not set\nCONFIG_PREEMPT_NONE=y\n"),
            (Facts{{"kernel.preemption", "none"}}));
  EXPECT_TRUE(ConfigFacts("").empty());
}

}  // namespace
}  // namespace shakedown::runner
