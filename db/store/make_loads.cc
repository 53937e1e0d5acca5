#include "db/store/make_loads.h"

namespace shakedown::store {
namespace {

void AddBeside(v1::Beside& beside, std::vector<v1::MakeLoad*>& makes) {
  if (beside.has_make()) makes.push_back(beside.mutable_make());
}

void AddLatt(v1::LattLoad& latt, std::vector<v1::MakeLoad*>& makes) {
  if (latt.has_make()) makes.push_back(latt.mutable_make());
}

}  // namespace

std::vector<v1::MakeLoad*> MakesOf(v1::Load& load) {
  std::vector<v1::MakeLoad*> makes;
  if (load.has_make()) makes.push_back(load.mutable_make());
  if (load.has_latt()) AddLatt(*load.mutable_latt(), makes);
  if (load.has_launch() && load.launch().has_beside()) {
    AddBeside(*load.mutable_launch()->mutable_beside(), makes);
  }
  if (load.has_frames() && load.frames().has_beside()) {
    AddBeside(*load.mutable_frames()->mutable_beside(), makes);
  }
  if (load.has_command() && load.command().has_latt()) {
    AddLatt(*load.mutable_command()->mutable_latt(), makes);
  }
  return makes;
}

}  // namespace shakedown::store
