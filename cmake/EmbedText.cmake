# Writes a .cpp that defines `const std::string_view NAME` for each NAME=FILE[+FILE...] of TEXTS:
#
#   cmake -DOUTPUT=assets.cpp -DFOLDER=... -DHEADER=wick/x/assets.h -DNAMESPACE=wick::x::assets
#         -DTEXTS="page=page.html|script=a.js+b.js" -P EmbedText.cmake
set(source "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n")
string(REPLACE "|" ";" texts "${TEXTS}")
foreach(entry IN LISTS texts)
  string(REGEX MATCH "^([^=]+)=(.+)$" matched "${entry}")
  set(name "${CMAKE_MATCH_1}")
  string(REPLACE "+" ";" files "${CMAKE_MATCH_2}")
  string(APPEND source "\nconst std::string_view ${name} =")
  foreach(file IN LISTS files)
    file(READ "${FOLDER}/${file}" text)
    string(APPEND source "\n    R\"=====(${text})=====\"")
  endforeach()
  string(APPEND source ";\n")
endforeach()
string(APPEND source "\n}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUTPUT}" "${source}")
