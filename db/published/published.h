// Results that were published before there was a farm: figures and where they are from, in the
// plain form of controller/import/plain.h, and notes.csv, what their reporters saw, in our words.
#ifndef SHAKEDOWN_DB_PUBLISHED_PUBLISHED_H_
#define SHAKEDOWN_DB_PUBLISHED_PUBLISHED_H_

#include <string>
#include <vector>

namespace shakedown::published {

struct File {
  std::string name;  // "2010-08-08-2.6.35-ck1.csv".
  std::string content;
};

// As they were when this program was built, by name.
const std::vector<File>& Files();

}  // namespace shakedown::published

#endif  // SHAKEDOWN_DB_PUBLISHED_PUBLISHED_H_
