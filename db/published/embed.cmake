# cmake -DFILES=a.csv,b.csv -DOUT=out.cc -P embed.cmake: makes the files part of the program.
string(REPLACE "," ";" files "${FILES}")
set(body "")
foreach(path ${files})
  get_filename_component(name ${path} NAME)
  file(READ ${path} content)
  string(APPEND body "    {\"${name}\", R\"__csv__(${content})__csv__\"},\n")
endforeach()
file(WRITE ${OUT} "#include \"db/published/published.h\"

namespace shakedown::published {

const std::vector<File>& Files() {
  static const auto& files = *new std::vector<File>{
${body}  };
  return files;
}

}  // namespace shakedown::published
")
