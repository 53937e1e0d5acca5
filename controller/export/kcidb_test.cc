// The rules of KCIDB's schema 4.1 that matter to us, written down here and held against what is
// exported: https://github.com/kernelci/kcidb-io, kcidb_io/schema/v04_01.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "controller/export/export.h"
#include "controller/export/export_testing.h"

namespace shakedown::exporting {
namespace {

using nlohmann::json;

struct Field {
  const char* name;
  json::value_t type;
  const char* pattern;  // Of strings.
  bool required;
};
constexpr char kId[] = "[a-z0-9_]+:.+";
constexpr char kOrigin[] = "[a-z0-9_]+";
constexpr char kTime[] =
    "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})";
const std::vector<Field> kCheckout = {
    {"id", json::value_t::string, kId, true},
    {"origin", json::value_t::string, kOrigin, true},
    {"git_repository_url", json::value_t::string, "https://.+", false},
    {"git_commit_hash", json::value_t::string, "[0-9a-f]{40}", false},
    {"comment", json::value_t::string, "[^]*", false},
    {"valid", json::value_t::boolean, "", false},
    {"misc", json::value_t::object, "", false}};
const std::vector<Field> kBuild = {{"id", json::value_t::string, kId, true},
                                   {"checkout_id", json::value_t::string, kId, true},
                                   {"origin", json::value_t::string, kOrigin, true},
                                   {"start_time", json::value_t::string, kTime, false},
                                   {"duration", json::value_t::number_float, "", false},
                                   {"architecture", json::value_t::string, "[a-z0-9_]*", false},
                                   {"compiler", json::value_t::string, "[^]*", false},
                                   {"log_excerpt", json::value_t::string, "[^]{0,16384}", false},
                                   {"valid", json::value_t::boolean, "", false},
                                   {"misc", json::value_t::object, "", false}};
const std::vector<Field> kTest = {
    {"id", json::value_t::string, kId, true},
    {"build_id", json::value_t::string, kId, true},
    {"origin", json::value_t::string, kOrigin, true},
    {"environment", json::value_t::object, "", false},
    {"path", json::value_t::string, "[a-zA-Z0-9_-]+(\\.[a-zA-Z0-9_-]+)*", false},
    {"comment", json::value_t::string, "[^]*", false},
    {"log_excerpt", json::value_t::string, "[^]{0,16384}", false},
    {"status", json::value_t::string, "FAIL|ERROR|MISS|PASS|DONE|SKIP", false},
    {"start_time", json::value_t::string, kTime, false},
    {"duration", json::value_t::number_float, "", false},
    {"misc", json::value_t::object, "", false}};

void Check(const json& object, const std::vector<Field>& fields) {
  std::set<std::string> known;
  for (const Field& field : fields) {
    known.insert(field.name);
    if (!object.contains(field.name)) {
      EXPECT_FALSE(field.required) << field.name << " is missing in " << object;
      continue;
    }
    const json& value = object[field.name];
    EXPECT_EQ(value.type(), field.type) << field.name << " in " << object;
    if (!value.is_string()) continue;
    EXPECT_TRUE(std::regex_match(value.get<std::string>(), std::regex(field.pattern)))
        << field.name << " in " << object;
  }
  for (const auto& [name, value] : object.items()) {
    EXPECT_EQ(known.count(name), 1u) << name << " is no field of the schema";
  }
}

// Also that every reference leads somewhere, and that ids are there once.
void CheckWhole(const json& object) {
  EXPECT_EQ(object["version"], (json{{"major", 4}, {"minor", 1}}));
  std::set<std::string> ids;
  for (const json& checkout : object["checkouts"]) {
    Check(checkout, kCheckout);
    EXPECT_TRUE(ids.insert(checkout["id"]).second);
  }
  for (const json& build : object["builds"]) {
    Check(build, kBuild);
    EXPECT_TRUE(ids.insert(build["id"]).second);
    EXPECT_EQ(ids.count(build["checkout_id"]), 1u);
  }
  for (const json& test : object["tests"]) {
    Check(test, kTest);
    EXPECT_TRUE(ids.insert(test["id"]).second) << test;
    EXPECT_EQ(ids.count(test["build_id"]), 1u);
  }
}

std::string Statuses(const json& object) {
  std::string text;
  for (const json& test : object["tests"]) {
    text += test["id"].get<std::string>().substr(10) + " " + test["path"].get<std::string>() + " " +
            test["status"].get<std::string>() + "\n";
  }
  return text;
}

TEST(KcidbTest, HoldsTheSchemasRules) {
  const json object = json::parse(KcidbObject(SampleJob()));
  CheckWhole(object);
  EXPECT_EQ(object["checkouts"][1]["git_commit_hash"], std::string(40, 'c'));
  EXPECT_EQ(object["builds"][0]["valid"], true);
}

TEST(KcidbTest, TellsTheKernelsFailuresFromTheFarms) {
  EXPECT_EQ(Statuses(json::parse(KcidbObject(SampleJob()))),
            "boot:17.1A boot PASS\n"
            "load:17.1A:0 make DONE\n"
            "load:17.1A:1 latt DONE\n"
            "boot:17.1B boot FAIL\n"
            "boot:17.2A boot PASS\n"
            "load:17.2A:0 make DONE\n"
            "load:17.2A:1 latt FAIL\n"
            "boot:17.2B boot MISS\n"
            "boot:17.3A boot PASS\n"
            "load:17.3A:0 make ERROR\n");
}

TEST(KcidbTest, ABuildThatFailedIsNotValid) {
  v1::ReportData data = SampleJob();
  v1::BuildView& build = *data.mutable_variants(1)->mutable_build();
  build.set_status("failed");
  build.set_error("fair.c:7: error\n" + std::string(20000, 'x'));
  json object = json::parse(KcidbObject(data));
  CheckWhole(object);
  EXPECT_EQ(object["builds"][1]["valid"], false);
  build.set_status("farm_failed");
  object = json::parse(KcidbObject(data));
  EXPECT_FALSE(object["builds"][1].contains("valid")) << "says nothing of the kernel";
}

TEST(KcidbTest, NumbersAreKept) {
  const json object = json::parse(KcidbObject(SampleJob()));
  EXPECT_EQ(object["tests"][1]["misc"]["measurements"][0], (json{{"metric", "make.real"},
                                                                 {"value", 20.125},
                                                                 {"unit", "s"},
                                                                 {"iteration", 1},
                                                                 {"warmup", false}}));
}

TEST(KcidbTest, IsOneLine) {
  v1::ReportData data = SampleJob();
  data.mutable_boots(1)->mutable_view()->set_console_tail("a\nb\n\xff\n");
  const std::string text = KcidbObject(data);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  CheckWhole(json::parse(text));
}

}  // namespace
}  // namespace shakedown::exporting
