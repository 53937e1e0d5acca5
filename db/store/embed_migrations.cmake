# cmake -DFILES=a.sql,b.sql -DOUT=out.cc -P embed_migrations.cmake: makes the migrations part of the library.
string(REPLACE "," ";" files "${FILES}")
set(body "")
set(version 0)
set(before 0)
foreach(path ${files})
  math(EXPR version "${version} + 1")
  get_filename_component(name ${path} NAME)
  string(REGEX MATCH "^[0-9]+" digits ${name})
  math(EXPR number "1${digits} - 10000")
  if(NOT name MATCHES "^[0-9][0-9][0-9][0-9]_[a-z0-9_]+\\.sql$" OR NOT number GREATER before)
    message(FATAL_ERROR "${path}: want a name like 0001_what.sql with a number of its own")
  endif()
  set(before ${number})
  file(READ ${path} sql)
  string(APPEND body "    {${version}, \"${name}\", R\"__sql__(${sql})__sql__\"},\n")
endforeach()
file(WRITE ${OUT} "#include \"db/store/migrate.h\"

namespace shakedown::store {

const std::vector<Migration>& BuiltInMigrations() {
  static const auto& migrations = *new std::vector<Migration>{
${body}  };
  return migrations;
}

}  // namespace shakedown::store
")
